/** The client of requests that name none. */
export const UNKNOWN_CLIENT = 'unknown';

const MAX_NAME_LENGTH = 48;
const MAX_VERSION_LENGTH = 16;

/** The order matters: a User-Agent also names the products that come later in this list. */
const BROWSERS: readonly [name: string, product: RegExp][] = [
  ['Edge', /\bEdg\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\bFirefox\/(\d+)/],
  ['Chrome', /\b(?:Headless)?Chrome\/(\d+)/],
  ['Safari', /\bVersion\/(\d{1,9})[\d.]* (?:Mobile\/\S+ )?Safari\//],
];

/** Shortens a User-Agent to its first product, such as `claude-code/2.1.0`, or to the browser, such as `Firefox/131`. */
export function clientOfUserAgent(userAgent: string | undefined): string {
  if (userAgent === undefined) return UNKNOWN_CLIENT;
  for (const [name, product] of userAgent.startsWith('Mozilla/') ? BROWSERS : []) {
    const [, version] = product.exec(userAgent) ?? [];
    if (version !== undefined) return `${name}/${version}`;
  }
  const [, name = '', version = ''] = /^([\w.!#$%&'*+^`|~-]+)(?:\/([\w.+-]+))?/.exec(userAgent) ?? [];
  return nameWithVersion(name, version);
}

/** The name and version in an MCP `clientInfo`; `undefined` if it names none. */
export function clientOfInfo(info: unknown): string | undefined {
  const { name, version } = (info ?? {}) as { name?: unknown; version?: unknown };
  if (typeof name !== 'string') return undefined;
  const client = nameWithVersion(name, typeof version === 'string' ? version : '');
  return client === UNKNOWN_CLIENT ? undefined : client;
}

/** The name of a client without its version; `null` for an unknown one. */
export function nameOfClient(client: string | undefined): string | null {
  const [name = UNKNOWN_CLIENT] = client?.split('/') ?? [];
  return name === UNKNOWN_CLIENT ? null : name;
}

function nameWithVersion(name: string, version: string): string {
  const shortName = plain(name, MAX_NAME_LENGTH);
  const shortVersion = plain(version, MAX_VERSION_LENGTH);
  if (shortName === '') return UNKNOWN_CLIENT;
  return shortVersion === '' ? shortName : `${shortName}/${shortVersion}`;
}

/** Letters, digits and what product names contain besides, in ASCII. */
function plain(text: string, maxLength: number): string {
  return text
    .slice(0, 4 * maxLength)
    .replaceAll(/[^\w .+@()-]+/g, '')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, maxLength)
    .trim();
}
