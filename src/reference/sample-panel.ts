import { html, type Markup, NOTHING } from '../lib/html.ts';
import { sampleMarkup } from './code-markup.ts';
import { SAMPLE_ORIGIN } from './samples.ts';

/** The same request in several languages. */
export interface Samples {
  curl: string;
  javascript?: string | undefined;
  mcp?: string | undefined;
}

const TITLES: Record<keyof Samples, string> = { curl: 'curl', javascript: 'JavaScript', mcp: 'MCP' };

/** Renders samples with a choice of one. `name` is unique on the page. */
export function samplePanel(name: string, samples: Samples): Markup {
  const present = (Object.keys(TITLES) as (keyof Samples)[]).flatMap((kind) => {
    const text = samples[kind];
    return text === undefined ? [] : [{ kind, text }];
  });
  const choices = present.map(({ kind }, index) => {
    const checked = index === 0 ? html` checked` : NOTHING;
    return html`<label><input type="radio" name="${name}" value="${kind}"${checked}><span>${TITLES[kind]}</span></label>`;
  });
  const panels = present.map(({ kind, text }) => {
    return html`<div class="sample ${kind}">${sampleMarkup(text, SAMPLE_ORIGIN)}</div>`;
  });
  return html`<div class="panel"><fieldset><legend>Request as</legend>${choices}</fieldset>${panels}</div>`;
}
