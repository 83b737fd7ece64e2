import {
  CALL,
  CODE,
  DATA,
  FILE,
  HEXADECIMAL,
  HYPHENATED,
  NAMED_HASH,
  NO_DIGIT,
  NOT_TOKEN,
  NUMBERS,
  PLACEHOLDER,
  PUBLIC_KEY,
  type RedactionRule,
  SOME_WORDS,
  UUID,
  unlike,
  WORDS,
} from './redaction-patterns.ts';
import { PROSE_RULES } from './redaction-prose.ts';

/** Also after an escaped line break, as in JSON. */
const NAME_START = '(?<!(?<!\\\\)\\w)';
const PASSWORD = `passw(?:or[dt]|d)|pass(?:phrase|code)|${NAME_START}pass(?!a[gu]|e[dns]|i[ov]|ing|port|th)|${NAME_START}psk|${NAME_START}pwd?\\b|pwd|kennwort|mot de passe|contrase(?:ñ|n)a|senha|wachtwoord|lösenord|hasło|пароль|密码|密碼|パスワード|비밀번호`;
/** Not the beginning of a word, such as `path`, `patient` or `author`. */
const SHORT_NAME = '(?:(?:auth|pass|pat|pw|sas)(?<=[_-]\\w{2,4})|dsn)(?![a-z])';
const SECRET = `secrets?(?<!:secrets?)(?!ar)|secret access key|token${NOT_TOKEN}(?!i[sz])|(?<=[A-Za-z0-9][_.-]?)key${PUBLIC_KEY}|credentials?|${SHORT_NAME}|\\bauth(?=\\\\{0,3}["']\\s?:)`;
/** Names that go on, and hold something about a secret: `token_url`, `maxTokens`, `passwordLength`. */
const ABOUT =
  '(?!s?[_.-]?(?:ur[li]|endpoint|path|file|dir|folder|names?\\b|types?\\b|expir|length|len\\b|count|limit|ttl|ids?\\b|field|label|hint|policy|hash|digest|size|max|min|budget|usage|regex|pattern|format|version|algorithm|board|word|frame|code\\b|ring\\b|space|stroke|fingerprint|prefix))';
const REST_OF_NAME = '[\\w.-]{0,24}';
const QUOTE = '(?:\\\\{0,3}["\'`])';
const ASSIGN = '(?:=>|:=|={1,3}|:(?!:)|：|>)';
/** TypeScript's, Rust's and Kotlin's annotations between a name and its value. */
const ANNOTATION = "(?::\\s?(?:[Ss]tring|str|&(?:'static )?str)(?:\\s?\\|\\s?\\w{1,12})?\\s?(?==))?";
/** To the same quote. */
const IN_QUOTES = (least: number) => `(?:(?!\\k<quote>)\\\\?\\S){${least},}(?=\\k<quote>|\\s*$)`;
const PLAIN = `[^\\s"'\`,;&<>(){}[\\]|\\\\#]`;
/** Goes on after a comma and the like, unless that begins the next name. */
const SYMBOLS = `(?:[^\\s"'\`,;&<\\\\]|[,;&](?!\\s|$|[\\w .-]{1,40}[=:])|<(?!/)|\\\\(?![nrt"'\\\\]))`;

/** A value in quotes that is assigned to a name, or passed beside it: `password: "…"`, `setToken("…")`. */
function quoted(names: string, least: number, ...others: string[]): RedactionRule {
  const separator = `${QUOTE}?\\]?\\??\\s{0,2}(?:${ANNOTATION}${ASSIGN}|[,(]|\\svalue\\s?=)\\s{0,12}(?:[brf@])?(?<quote>\\\\{0,3}["'\`])`;
  return {
    id: 'assigned-secret',
    keyword: new RegExp(names, 'i'),
    pattern: new RegExp(`(?<kept>(?:${names})${ABOUT}${REST_OF_NAME}${separator})${IN_QUOTES(least)}`, 'gi'),
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, DATA, ...others),
  };
}

/** A value without quotes after a name. */
function unquoted(names: string, value: string, ...others: string[]): RedactionRule {
  return {
    id: 'assigned-secret',
    keyword: new RegExp(names, 'i'),
    pattern: new RegExp(
      `(?<kept>(?:${names})${ABOUT}${REST_OF_NAME}${QUOTE}?\\]?\\s{0,2}(?:\\[[\\w*]{0,24}\\])?${ASSIGN}[ \\t]{0,4}(?:\\r?\\n[ \\t]{1,8})?)${value}(?<![.:,;)}\\]])`,
      'gi',
    ),
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, DATA, CODE, ...others),
  };
}

/** A value of an argument, in quotes or not. */
const ARGUMENT = `(?:(?<=["'])[^"'\\n\\\\]{3,}(?=\\\\{0,3}["'])|(?!-)[^\\s"'\`\\\\;|&<>]{3,})`;
const OPENING_QUOTE = '(?:\\\\{0,3}["\'])?';
/** Anything else on the command line. */
const ARGUMENTS = '(?:(?:[^\\n|;&\\\\]|\\\\\\n?){0,120}?\\s)?';

/** The password that a command takes as an argument, also one of plain words. */
function argument(commands: string, before: string): RedactionRule {
  return {
    id: 'assigned-secret',
    keyword: new RegExp(`\\b(?:${commands})\\s`),
    pattern: new RegExp(`(?<kept>\\b(?:${commands})\\s${before}${OPENING_QUOTE})${ARGUMENT}`, 'g'),
    entropy: 1,
    unlike: unlike(PLACEHOLDER, NUMBERS),
  };
}

/** A credential in a table, told by the head of its column or by the cell before it. */
export interface CellRule extends Pick<RedactionRule, 'id' | 'entropy' | 'unlike'> {
  name: RegExp;
  leastLength: number;
}

const cellName = (names: string) => new RegExp(`^[^\\w|]*(?:\\w[\\w.-]*[ _-]){0,3}?(?:${names})[^\\w|]*$`, 'iu');

export const CELL_RULES: readonly CellRule[] = [
  {
    id: 'assigned-secret',
    name: cellName(
      'passw(?:or[dt]|d)|pass(?:phrase|code)?|pwd?|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|密码|パスワード',
    ),
    leastLength: 5,
    entropy: 2,
    unlike: unlike(PLACEHOLDER, DATA, CODE, SOME_WORDS, CALL),
  },
  {
    id: 'assigned-secret',
    name: cellName('secret|token|(?:api|access|secret|private|licen[sc]e|auth)[ _-]?key|credentials?'),
    leastLength: 12,
    entropy: 3,
    unlike: unlike(PLACEHOLDER, DATA, CODE, WORDS, FILE, UUID, NO_DIGIT, HYPHENATED, NAMED_HASH),
  },
];

/** What the names of links say that let somebody in who opens them. */
const INVITING =
  '(?:reset|forgot|recover|verify|confirm|activat|invit|magic|set-password|passwordless)[\\w-]{0,30}(?!/(?:commits?|blob|tree|raw|compare|pull|issues|actions|releases|packages)/)';

/** Credentials that are told by their surroundings: addresses, headers, and names that a value is assigned to. */
export const REDACTION_RULES: readonly RedactionRule[] = [
  {
    id: 'private-key',
    keyword: /PRIVATE KEY|Static key V1/,
    // To its end; if that was cut off, as far as there are lines of base64. The body stops at the next beginning, so that
    // many of them without an end are still read once.
    pattern:
      /-{4,5} ?BEGIN[ A-Za-z0-9_-]{0,40}(?:PRIVATE KEY|Static key V1)(?: BLOCK)? ?-{4,5}(?:(?:(?!---- ?BEGIN)[\s\S])*?-{4,5} ?END[ A-Za-z0-9_-]{0,44}(?:KEY|V1)(?: BLOCK)? ?-{4,5}|(?:(?:\s|\\{1,4}[nr]|["',>])*(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,99}(?:\n|\\{1,4}n)))*(?:(?:\s|\\{1,4}[nr]|["',>]|\+\s)*[A-Za-z0-9+/]{12,}={0,2})+(?:(?:\n|\\{1,4}n)\s{0,8}[A-Za-z0-9+/=]{1,11}(?![A-Za-z0-9+/=]))?)/g,
    entropy: 3,
    unlike: /^(?![\s\S]*?[A-Za-z0-9+/]{16})/,
  },
  {
    id: 'url-password',
    keyword: /:\/\//,
    // To the last `@` before the path. A number before a `/`, `?` or `#` is a port.
    pattern:
      /(?<kept>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"`<>]{0,100}:)(?!\d{1,5}[/?#])[^\s/'"`<>]{3,200}(?=@(?!sha256:))/gi,
    entropy: 0,
    unlike: unlike(PLACEHOLDER),
  },
  {
    id: 'url-password',
    keyword: /:\/\//,
    // With a `/` in it. What precedes that is no port and no variable, and after the last `@` is a host.
    pattern:
      /(?<kept>\b[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"`<>]{0,100}:)(?!\d{1,5}[/?#]|[A-Z_]+\/|[$%{:]|[^\s/]{0,99}\.[a-z]{2,}\/)[^\s'"`<>()[\]]{3,200}(?=@(?!sha256:)[\w-]+(?:\.[\w-]+)*(?::\d|[/?#]|["'`\\,;)\s]|$))/g,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER),
  },
  {
    id: 'url-token',
    keyword: /:\/\//,
    pattern: /(?<kept>\b[a-z][a-z0-9+.-]{1,20}:\/\/)[\w.~%!$+-]{16,300}(?=:?@)/gi,
    entropy: 3,
    unlike: unlike(PLACEHOLDER, WORDS),
  },
  {
    id: 'authorization',
    keyword: /authorization/i,
    pattern:
      /(?<kept>\bauthorization(?:\\{0,3}["'`])?\]?\s?[:=,]\s{0,3}(?:\\{0,3}["'`])?(?:[A-Za-z][A-Za-z-]{2,19}(?:\s{1,3}|\s?:\s?)(?:token=|key=|credential=)?(?:\\{0,3}["'`])?)?)[^\s"'`,;<>(){}[\]\\]{8,}/gi,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, WORDS, CODE),
  },
  {
    id: 'authorization',
    keyword: /bearer|basic/i,
    pattern: /(?<kept>\b(?:bearer|basic)(?:\s{1,3}|%20|\+)(?:\\{0,3}["'`])?)[\w.~+/=:-]{12,}(?<![.:])/gi,
    entropy: 2.6,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE),
  },
  {
    id: 'session-cookie',
    keyword: /sess|sid=|auth=|__(?:Host|Secure)-/i,
    pattern: /(?<kept>(?:sess(?:ion)?(?:[_-]?id)?|sid|auth|__(?:Host|Secure)-[\w.-]{1,40})=\\?"?)[\w.~+/%:=-]{16,}/gi,
    entropy: 3,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, UUID),
  },
  {
    id: 'url-parameter',
    keyword: /[?&#;][\w-]+=/,
    pattern:
      /(?<kept>[?&#;](?:amp;)?(?:ticket|operator|sig|sign|signature|code|auth|jwt|sid|session|assertion|otp|oobCode|invite|magic|reset\w{0,16}|recover\w{0,12}|activat\w{0,12}|verif\w{0,9}|confirm\w{0,9}|X-(?:Amz|Goog)-(?:Signature|Credential))=)[^\s"'`&#<>()\\]{12,}(?<![.,:;])/gi,
    entropy: 2.8,
    unlike: unlike(PLACEHOLDER, WORDS, DATA),
  },
  {
    id: 'url-token',
    keyword: /:\/\//,
    // A link that resets a password, confirms an address and the like: its last part, or a parameter.
    pattern: new RegExp(
      `(?<kept>\\bhttps?://[^\\s"'\`<>/]{1,100}/(?:[\\w.%~-]{1,40}/){0,5}?[\\w-]{0,30}${INVITING}(?:/[\\w-]{1,12}){0,2}?(?:/|\\?(?:[\\w-]{1,20}=[^\\s&"'\`<>]{0,100}&){0,4}(?:\\w{1,2}|hash|key|id)=))(?=[\\w.~%=+-]*\\d)(?=[\\w.~%=+-]*[A-Za-z])[\\w.~%=+-]{16,}`,
      'gi',
    ),
    entropy: 2.8,
    unlike: unlike(PLACEHOLDER, WORDS, FILE),
  },
  {
    id: 'assigned-secret',
    keyword: /app|mail|smtp/i,
    // Google's passwords for apps: four groups of four letters.
    pattern:
      /(?<kept>(?:app|g?mail|smtp)[ \w.-]{0,20}passw(?:or)?d(?:\\{0,3}["'`])?\]?\s{0,2}(?:\bis\b|[:=])\s{0,2}(?:\\{0,3}["'`])?)[a-z]{4}(?: [a-z]{4}){3}(?![\w ])/gi,
    entropy: 2.8,
    unlike: unlike(PLACEHOLDER),
  },
  quoted(PASSWORD, 6, SOME_WORDS, CODE),
  quoted(SECRET, 10, WORDS, CODE),
  {
    id: 'assigned-secret',
    keyword: /PASS|PWD/,
    pattern:
      /(?<kept>(?:PASS(?:W(?:OR)?D|PHRASE|CODE)?|PWD)(?:_[A-Z0-9]{1,12}){0,2}=(?<quote>["']?))(?:(?!\k<quote>)\S|(?<==)\S)\S{4,}?(?=["']?(?:\s|$))/g,
    entropy: 2,
    unlike: unlike(PLACEHOLDER, DATA, CODE),
  },
  unquoted(PASSWORD, `${SYMBOLS}{6,}`, NO_DIGIT, SOME_WORDS, CALL),
  unquoted(SECRET, `${PLAIN}{10,}`, NO_DIGIT, WORDS, FILE),
  unquoted('(?<![A-Za-z0-9:][ _.-]?)key', `${PLAIN}{20,}`, NO_DIGIT, WORDS, FILE, UUID, HYPHENATED),
  {
    id: 'assigned-secret',
    keyword: /key|token|secret|pass|credential|pwd|(?:recovery|backup) code/i,
    // Prose: `the password is …`, `key …`; and options of commands: `--token …`.
    pattern:
      /(?<kept>(?:(?:pass(?:wor[dt]|phrase|code|wd)|(?<![A-Za-z])pass|(?:recovery|backup) codes?|pwd|secret|token(?<!(?:page|next|continuation|sync)[ _-]?token)|key(?<!(?:public|primary|foreign|cache|partition|sort|idempotency)[ _-]?key)|credentials?)(?:\s(?!hash|id\b|commit|fingerprint|checksum|digest|version|sha)\w{1,16}){0,4}?(?:\s(?:is|was|now|are|to|=|→|lautet|ist|est|es)[ :]\s{0,2}|\s?\*{0,2}[:=]\*{0,2}\s)|--?[\w-]{0,24}(?:password|passwd|passphrase|token|secret|key|pass|pwd|auth)\s)(?:\\{0,3}["'`])?)[^\s"'`,;<>(){}[\]\\]{8,}(?<![.:?])/gi,
    entropy: 2.6,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, NO_DIGIT, FILE, NAMED_HASH),
  },
  {
    id: 'assigned-secret',
    keyword: /key|token|secret|credential/i,
    pattern:
      /(?<kept>(?<!:)\b(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Cc]redential)s?(?<!(?:[Pp]ublic|[Cc]ache|[Pp]rimary|[Hh]ost)[ _-]?key)[ :]{1,2}(?:\\{0,3}["'`])?)(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*\d)[\w+/.-]{20,}={0,2}/g,
    entropy: 3.4,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, UUID, HEXADECIMAL, NAMED_HASH),
  },
  {
    id: 'assigned-secret',
    keyword: /pass|pwd|identified|securestring/i,
    // `password …` without a separator; commands that take one.
    pattern:
      /(?<kept>(?:\b(?:password|passphrase|passcode|passwd|requirepass|storepass|keypass|pass)(?:\sof\s\w{1,20})?|\bidentified by|sshpass -p|SecureString|(?<!by|com|tres|sur)pass)\b(?:\s{1,2}[:(]?|[:(])\s?(?:\\{0,3}["'`(])?)(?=[^\s]*[A-Za-z])(?=[^\s]*\d)[^\s"'`<>]{6,}(?<![.:?,;)])/gi,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, CALL),
  },
  {
    id: 'assigned-secret',
    keyword: /auth|credential|login|connect|client/i,
    // Pairs and single arguments of calls: `HTTPBasicAuth("ada", "…")`, `new Client("…")`.
    pattern:
      /(?<kept>(?:auth|credentials?|login|connect|client|api|sdk|bot|configure|init)\w{0,20}\s?[=:]?\s?[([]\s?(?:(?:\\{0,3}["'`])[^\s"'`\\]{1,60}(?:\\{0,3}["'`])\s?,\s?)?(?:\\{0,3}["'`]))[^\s"'`\\]{10,}(?=\\{0,3}["'`])/gi,
    entropy: 2.8,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, FILE, NO_DIGIT),
  },
  {
    id: 'assigned-secret',
    keyword: /hmac|jwt|fernet|cipher|SecretKeySpec/i,
    // Keys passed to cryptographic functions: `createHmac('sha256', '…')`, `jwt.sign(claims, '…')`.
    pattern:
      /(?<kept>\b(?:createHmac|hash_hmac|hmac\.(?:new|digest)|HMAC\.\w{1,12}|jwt\.(?:sign|verify|encode|decode)|(?:Multi)?Fernet|create(?:C|Dec)ipher(?:iv)?|SecretKeySpec)\s?\((?:[^\n;]{0,160}?[\s,([])?b?(?:\\{0,3}["'`]))[^\s"'`\\]{16,}(?=\\{0,3}["'`])/gi,
    entropy: 3,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, FILE, NO_DIGIT),
  },
  {
    id: 'assigned-secret',
    keyword: /WIFI:/,
    // The text of a QR code that joins a network.
    pattern: /(?<kept>\bWIFI:[^\n]{0,120}?(?<=[:;])P:)(?:[^;\n\\]|\\[^nrt\n]){8,63}(?=;)/g,
    entropy: 1,
    unlike: unlike(PLACEHOLDER),
  },
  {
    id: 'url-password',
    keyword: /oracle:|sqlplus/i,
    // Oracle's `user/password@host`.
    pattern:
      /(?<kept>\b(?:jdbc:oracle:\w{1,8}:|sqlplus\s(?:-\w{1,4}\s){0,3})["']?[\w$#]{1,30}\/)[^\s@/"'`<>]{4,}(?=@)/gi,
    entropy: 1,
    unlike: unlike(PLACEHOLDER),
  },
  argument(
    '(?:docker|podman|nerdctl|buildah|skopeo|oras|helm registry) login|mongo\\w{0,7}|netexec|nxc|evil-winrm',
    `${ARGUMENTS}-p\\s?`,
  ),
  argument('sshpass', '-p\\s?'),
  argument('mysql\\w{0,8}|mariadb(?:-\\w{1,8})?', `${ARGUMENTS}-p`),
  argument('7z[a-z]?|rar|unrar', `${ARGUMENTS}-h?p`),
  argument('zip|unzip|sqlcmd|bcp|tsql|ipmitool|mosquitto_(?:pub|sub|rr)', `${ARGUMENTS}-P\\s?`),
  argument('ldap(?:add|compare|delete|modify|modrdn|passwd|search|whoami)', `${ARGUMENTS}-w\\s?`),
  argument('(?:redis|keydb|valkey)-cli', `${ARGUMENTS}-a\\s?`),
  argument('smbclient|rpcclient|smbmap|lftp', `${ARGUMENTS}-[uU]\\s?${OPENING_QUOTE}[\\w.@\\\\/-]{1,60}[%,]`),
  argument(
    'htpasswd',
    '(?:-\\w{1,8}\\s)*?-(?=\\w{0,8}b)(?!\\w{0,8}n)\\w{1,8}\\s(?:-\\w{1,8}\\s)*[^\\s-]\\S*\\s\\S+\\s',
  ),
  argument('htpasswd', '(?:-\\w{1,8}\\s)*?-(?=\\w{0,8}b)(?=\\w{0,8}n)\\w{1,8}\\s(?:-\\w{1,8}\\s)*[^\\s-]\\S*\\s'),
  argument('openssl', `${ARGUMENTS}-(?:pass|passin|passout)\\spass:`),
  argument('sqlplus|impdp|expdp|sqlldr', `${ARGUMENTS}\\w{1,40}/(?=[^\\s@]{3,60}@)`),
  argument('https?|xh', `${ARGUMENTS}(?:-a|--auth)[ =]${OPENING_QUOTE}[\\w.@+-]{1,60}:`),
  {
    id: 'assigned-secret',
    keyword: /curl|wget|http/i,
    // Of containers, the user and the group are often the same.
    pattern: new RegExp(
      `(?<kept>\\s(?:-[uU]|--(?:proxy-)?user)[ =]?${OPENING_QUOTE}(?!\\d+:)(?<user>[\\w.@+\\\\/-]{1,60}):(?!\\k<user>(?!\\S)))(?:(?<=["'][^\\s"']{1,60}:)[^"'\\n\\\\]{3,}(?=\\\\{0,3}["'])|${ARGUMENT})`,
      'g',
    ),
    entropy: 1,
    unlike: unlike(PLACEHOLDER),
  },
  {
    id: 'assigned-secret',
    keyword: /chpasswd|sudo/,
    // `echo … | sudo -S`, `echo ada:… | chpasswd`.
    pattern:
      /(?<kept>\becho\s(?:-\w\s)?(?:\\{0,3}["'])?(?:[\w.-]{1,32}:(?=[^\n|]{3,80}\|\s?(?:sudo\s)?chpasswd))?)[^\s"'`\\|:]{3,}(?=(?:\\{0,3}["'])?\s?\|\s?(?:sudo\s(?:-\w\s)?-\w{0,3}S|(?:sudo\s)?chpasswd))/g,
    entropy: 1,
    unlike: unlike(PLACEHOLDER),
  },
  {
    id: 'assigned-secret',
    keyword: /cred|log ?in|sign ?in|user|daten|identifiants/i,
    // `creds: admin/…`, `log in with ada / …`.
    pattern:
      /(?<kept>\b(?:cred(?:ential)?s?(?:\s\w{1,16}){0,4}?(?:\sare|\sis)?\s?[:=]|(?:zugangs|anmelde|login-)daten:|identifiants\s?:|credenciales:|(?:log|sign)s? ?in (?:with|as|using):?(?!\s{1,2}(?:user|username|e-?mail|login|name|account|id)\b)|user(?:name)?\s?[/+&]\s?pass(?:word)?\s?[:=])\s{1,2}(?:\\{0,3}["'`])?[\w.@+-]{1,60}\s?[/:]\s?(?:\\{0,3}["'`])?)[^\s"'`,;<>(){}[\]\\]{5,}(?<![.:?])/gi,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, SOME_WORDS, DATA, CODE, FILE),
  },
  {
    id: 'assigned-secret',
    keyword: /:\d{4,5}:/,
    // A line of `~/.pgpass`.
    pattern: /(?<kept>[\w.*-]{1,100}:\d{4,5}:[\w.*-]{1,63}:[\w.*-]{1,63}:)[^\s"'`\\]{6,}/g,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, '/\\S*:/'),
  },
  {
    id: 'assigned-secret',
    keyword: /value|define|set|ENV/,
    // A name beside its value: `{"name": "API_TOKEN", "value": "…"}`, `#define API_KEY "…"`, `ENV API_KEY …`.
    pattern:
      /(?<kept>(?:\bname(?:\\{0,3}["'])?\s?[:=]\s?(?:\\{0,3}["'])?[\w.-]{0,60}(?:password|token|secret|key|PASSWORD|TOKEN|SECRET|KEY)(?:\\{0,3}["'])?,?\s{0,20}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?\s?[:=]\s?|(?:#define|\bsetx|\bset -\w{1,3}|\bENV|\bsecret set)\s{1,4}[A-Z0-9_]{0,40}(?:PASSWORD|TOKEN|SECRET|KEY)(?:\s--body)?\s{1,4})(?:\\{0,3}["'])?)[^\s"'`,;\\]{8,}/g,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, NO_DIGIT, UUID),
  },
  {
    id: 'assigned-secret',
    keyword: /mot de passe|contrase|senha|wachtwoord|şifre|hasło|lösenord|密|パスワード|비밀번호/i,
    // `le mot de passe est …`, `密码是…`.
    pattern:
      /(?<kept>(?:(?:mot de passe|contraseña|senha|wachtwoord|şifre|hasło|lösenord)(?:\s[\p{L}]{1,16}){0,3}?(?:\s(?:est|es|é|is|to|är)\s|\s?:\s)|(?:密码|密碼|パスワード|비밀번호)\s?[是为為は는:：]\s?)["'`]?)[!#-&(-+\--_a-z|~]{6,}(?<![.:])/giu,
    entropy: 2.2,
    unlike: unlike(PLACEHOLDER, WORDS, DATA, CODE, NO_DIGIT),
  },
  {
    id: 'passphrase',
    keyword: /phrase|mnemonic|seed/i,
    pattern:
      /(?<kept>(?:mnemonic|(?:seed|recovery|backup) (?:phrase|words)|seed_?phrase|pass_?phrase)[^\n:=]{0,30}?(?:\sis|[:=])[\s:=]{0,3}(?:\\{0,3}["'`])?)(?:[A-Za-z]{3,12}[ ,-]{1,2}){3,23}[A-Za-z]{3,12}/gi,
    entropy: 2,
    unlike: unlike('(?:required|must|is|not|the|a|an|your|for|to|of|enter|at) '),
  },
  {
    id: 'private-key',
    keyword: /"kty|Private-Lines/,
    pattern:
      /(?<kept>\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s?:\s?\\?"|Private-Lines: \d+(?:\s|\\[nr])+)(?:[\w+/-]{16,}={0,2}(?:\s|\\[nr])*)+/g,
    entropy: 3,
    unlike: unlike(UUID),
  },
  {
    id: 'url-password',
    keyword: /:\/\//,
    // Cut off before its `@`, at the end of the text.
    pattern:
      /(?<kept>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"`<>]{0,100}:)(?!\d{1,5}["'`}\\]{0,3}\s*$)[^\s/'"`<>@[\]]{4,200}(?=["'`}\\]{0,3}\s*$)/gi,
    entropy: 1.5,
    unlike: unlike(PLACEHOLDER, SOME_WORDS),
  },
  ...PROSE_RULES,
];
