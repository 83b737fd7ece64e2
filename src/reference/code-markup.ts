import { html, type Markup } from '../lib/html.ts';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g;

/** Renders a value as indented JSON: names plain, values marked. */
export function jsonMarkup(value: unknown): Markup {
  return html`<pre><code>${marked(JSON.stringify(value, null, 2))}</code></pre>`;
}

function marked(text: string): Markup[] {
  const pieces: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [found, string, colon] = match;
    pieces.push(html`${text.slice(end, match.index)}`);
    pieces.push(colon !== undefined ? html`${found}` : string ? html`<i>${found}</i>` : html`<em>${found}</em>`);
    end = match.index + found.length;
  }
  return [...pieces, html`${text.slice(end)}`];
}

/** Renders a sample. Its address becomes that of the page. */
export function sampleMarkup(text: string, origin: string): Markup {
  const [start = '', ...rest] = text.split(origin);
  return html`<pre><code>${start}${rest.map((part) => html`<span class="origin">${origin}</span>${part}`)}</code></pre>`;
}
