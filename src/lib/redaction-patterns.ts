/** The surroundings of a credential that has no recognizable shape. */
export interface RedactionRule {
  id: string;
  /** A text without it contains no such credential. */
  keyword: RegExp;
  /** Matches in linear time. What the group `kept` matches stays, the rest is the secret. */
  pattern: RegExp;
  /** Least Shannon entropy of the secret in bits per character; below it is a placeholder. */
  entropy: number;
  /** Values that are not secrets. */
  unlike: RegExp;
}

/** `$NAME`, `${…}`, `<name>`, `{{ … }}`, `%NAME%`, `***`, `[redacted: …]`, `your-key`, `xxxx`, `...`. */
export const PLACEHOLDER =
  '\\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+)$|\\$[{(]|[{<[]|%(?:[A-Za-z_]+%|[sdv]$)|[^\\s…]{0,11}(?:…|\\.\\.\\.)|[^\\s]{0,40}(?:\\$\\{|<[a-z]|\\{\\{)|[*.•]{2,}|[xX]{3,}|(?:[Yy]our|YOUR|[Cc]hange|CHANGE|[Rr]eplace|REPLACE|[Ii]nsert|INSERT|[Ee]nter|[Ee]xample|EXAMPLE|dummy|placeholder|redacted|undefined|null|none|true|false)(?![A-Za-z]{0,9}\\d{3})|(?:some|my)?(?:password|passwd|pass|pw|pwd|secret|key|token|postgres|admin|root|test|PASSWORD|PASS|KEY|TOKEN|SECRET)$';
/** Words joined by separators, each plain or with few digits: `my-api-key-2`, `YOUR_TOKEN`. */
export const WORDS =
  '[A-Za-z]?[a-z]+\\d{0,2}(?:[-_./:+]+(?:[A-Za-z]?[a-z]+\\d{0,2}|[A-Z]+|\\d{1,4}))*[-_.:!?]*$|[A-Z]+(?:[-_.]+[A-Z\\d]{1,12})+$';
/** Addresses, paths, versions, dates, checksums, numbers with a unit. */
export const DATA =
  '[a-z][a-z0-9+.-]{1,20}://|(?:~|\\.{1,2})/|/(?:[\\w.@-]+/)+[\\w.@-]*$|/[a-z-]+$|[~^<>=v]*\\d+\\.\\d+(?:\\.|$)|\\d{4}-\\d\\d-\\d\\d|(?:sha|SHA)-?(?:1|256|384|512)[:-]|md5:|[\\d.,:/_-]+[a-zA-Z%]{0,3}$|data:|AAAA[BCE]3Nza|MII[BC]IjAN|MFkwEwY|MCowBQY|LS0tLS1CRUdJTiBDRVJU|(?:[0-9A-F]{2}:){3}|[\\w.-]+@[\\w-]+\\.[\\w.]+$';
/** Few plain words. Many joined by hyphens are a passphrase. */
export const SOME_WORDS =
  '[A-Za-z]?[a-z]+(?:[-_. ]+[A-Za-z]?[a-z]+){0,2}[-_.:!?]*$|[A-Z]+(?:[-_.]+[A-Z]+)*$|[a-z]+(?:\\.[a-z-]+)+$';
/** Ports and their mappings, modes, PINs. */
export const NUMBERS = '[\\d.,:/_-]+(?:/(?:tcp|udp))?$';
export const FILE = '[\\w@-][\\w.@/-]*\\.[a-z][a-z0-9]{1,4}$|(?:[a-z0-9._-]+/)+[a-z0-9._-]+$';
export const CALL = '[\\w.$]+[(<[]';
export const HYPHENATED = '[a-z0-9]+(?:[-_.:][a-z0-9]+)+$';
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
/** `Linux-node-3f9a7c21`. */
export const NAMED_HASH = '[A-Za-z]+(?:[-_.][a-z0-9]+)*[-_.][0-9a-f]{6,}$';
export const HEXADECIMAL = '(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$';
/** `env.TOKEN`, `getToken2`, `Token2`, `--flag`, `@name`. */
export const CODE =
  '[A-Za-z_$]+\\d{0,2}(?:(?:\\?\\.|\\.|::|->)[A-Za-z_$#]+\\d{0,2})+[;,!?:]*$|--|[@&]|[a-z]+(?:[A-Z][a-z]+)+\\d{0,2}$|[A-Z][a-z]+(?:[A-Z][a-z]+)+\\d{0,2}$|1?[A-Za-z]*(?:[Pp]assword|[Tt]oken|[Ss]ecret)[A-Za-z]*\\d{0,2}$|[A-Z]{3,12}=[A-Z]';

/** Case matters: a word has capitals at its beginning only. */
export const unlike = (...sources: string[]) => new RegExp(`^(?:${sources.join('|')})`);
/** Without a digit a short value is a name, unless its capitals are mixed. */
export const NO_DIGIT = '(?!\\w*[a-z][A-Z]{2}|\\w*[A-Z]{2}[a-z])[^\\d]{0,23}$';

/** Not a key that anyone may know, nor the end of another word. */
export const PUBLIC_KEY =
  '(?<!(?:public|publishable|site|primary|foreign|cache|partition|sort|shard|row|object|index|idempotency|host|hot|shortcut|lookup|dedupe?|map|query|state|s3)[ _.-]?key|(?:mon|don|tur|hoc|joc|whis)key)';
export const NOT_TOKEN = '(?<!(?:page|next|continuation|sync|cancel|cancellation|design|css|js|csrf|xsrf)[ _.-]?token)';
