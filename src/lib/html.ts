const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** HTML that needs no escaping. Only `html` creates it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Template tag that escapes every interpolated string. `Markup` passes through unescaped, and a list of it is joined. */
export function html(strings: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup {
  const pieces = values.map((value, index) => `${markupText(value)}${strings[index + 1] ?? ''}`);
  return new Markup(`${strings[0] ?? ''}${pieces.join('')}`);
}

/** Empty markup. */
export const NOTHING = html``;

function markupText(value: string | Markup | readonly Markup[]): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
  return value.map(({ text }) => text).join('');
}
