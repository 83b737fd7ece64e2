import { parseEnv } from 'node:util';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';

const HEADER = `# Settings of the svc service, as NAME=value. After a change: svc service install
# Every setting is listed by svc serve --help.
`;

/**
 * Puts settings into the text of an environment file and keeps its other lines. An empty value removes a setting. systemd
 * and Node read the result alike. Throws `CommandFailure` for a value that the format cannot hold.
 */
export function changeSettings(text: string | undefined, changes: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(changes));
  const lines = (text ?? HEADER).split('\n').flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Z]\w*)\s*=/.exec(line)?.[1] ?? '';
    if (!Object.hasOwn(changes, name)) return [line];
    const value = left.get(name) ?? '';
    left.delete(name);
    return value === '' ? [] : [`${name}=${quoteValue(name, value)}`];
  });
  while (lines.at(-1) === '') lines.pop();
  const added = [...left]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${quoteValue(name, value)}`);
  return `${[...lines, ...added].join('\n')}\n`;
}

/** The settings in an environment file. */
export function settingsIn(text: string): Record<string, string> {
  return parseEnv(text) as Record<string, string>;
}

/** Single quotes are literal to both readers; in double quotes systemd interprets some characters. */
function quoteValue(name: string, value: string): string {
  if (/^[\w@%+:,./-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  if (!/["\\$`\n\r]/.test(value)) return `"${value}"`;
  throw new CommandFailure(EXIT.usage, `${name} contains quotes or line breaks that an environment file cannot hold.`);
}
