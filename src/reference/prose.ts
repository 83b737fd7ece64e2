import { html, type Markup } from '../lib/html.ts';

/** Renders a line of text whose code is in backticks. */
export function proseMarkup(text: string): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** Renders paragraphs and lists, as in the description of the API. */
export function paragraphsMarkup(text: string): Markup {
  const blocks = text.trim().split(/\n\n+/);
  return html`${blocks.map((block) => {
    if (!block.startsWith('- ')) return html`<p>${proseMarkup(block)}</p>`;
    return html`<ul class="prose">${block.split('\n').map((line) => html`<li>${proseMarkup(line.slice(2))}</li>`)}</ul>`;
  })}`;
}
