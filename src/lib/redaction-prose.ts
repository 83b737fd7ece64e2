import {
  CALL,
  CODE,
  DATA,
  FILE,
  NAMED_HASH,
  NO_DIGIT,
  NOT_TOKEN,
  PLACEHOLDER,
  PUBLIC_KEY,
  type RedactionRule,
  UUID,
  unlike,
  WORDS,
} from './redaction-patterns.ts';

/** Names of passwords in the languages that svc knows. */
const PASSWORDS = [
  'passw(?:or[dt]|d)s?(?:es)?|pass(?:phrase|code)s?|(?<![\\p{L}\\d])(?:pass|pwd?|mdp|psk)(?![\\p{L}\\d])|kennw(?:o|ö)rt(?:es|er)?',
  'mots? de passe|phrase secrète|contrase(?:ñ|n)as?|palabra de paso|senhas?|palavra-passe|parola d.ordine',
  'wachtwoord(?:en)?|has(?:ł|l)(?:o|a|em)(?!\\p{L})|парол(?:ь|я|ем|ю)',
].join('|');

/** The same for keys, tokens and codes. In most languages they have other meanings, too. */
const SECRETS = [
  `(?:(?<!\\p{L})|api)keys?${PUBLIC_KEY}(?!\\p{L})|(?<!\\p{L})secrets?(?!\\p{L})|(?<!\\p{L})tokens?${NOT_TOKEN}(?!\\p{L})|credentials?`,
  '(?<!öffentlicher |öffentliche |primär|fremd)schl(?:ü|ue)ssel(?!\\p{L})|(?<!\\p{L})geheimnis(?!\\p{L})|zugangscode',
  '(?<!\\p{L})(?:(?:clave|llave|chave|chiave|segredo|secreto|segreto|jeton|cl(?:é|ef)|sleutel|geheim|klucz|sekret|ключ|секрет|токен)(?:[ea]?s|i|и)?)(?!\\p{L})',
  '(?:api|licentie|toegangs|productie)-?sleutel',
  '(?:recovery|backup|access|security|activation|scratch|wiederherstellungs|sicherungs|herstel|toegangs|back-?up)[ -]?codes?(?!\\p{L})',
  "(?:code|codes|código|códigos|codice|codici) (?:d.accès|d'accesso|de (?:acceso|acesso|recuperación|recuperação|respaldo|récupération|secours)|di (?:accesso|recupero|backup))",
  'kod(?:y)? (?:dostępu|zapasow[ey]|odzyskiwania)|код(?:ы)? (?:доступа|восстановления)|резервны[йе] коды?',
  '(?:t?otp|[2m]fa|authenticator|two-factor)[ -](?:seed|code)s?',
].join('|');

/** Names of something else, which is about a secret. */
const ABOUT =
  '(?!(?:hash|ids?(?!\\p{L})|commit|fingerprint|checksum|digest|version|sha\\d|manager|policy|length|format|algorithm|huella|empreinte|impronta|public|públic|publi(?:que|eke)|pubbl|öffentl|primar|primär|foreign|forán|étrang|estern|extern|obc[ey]|główn|открыт|публичн)(?![^\\s]{9}))';
/** What stands between a name and its verb: `for the server`, `we use`, ` (root)`. */
const BETWEEN = `(?:\\s\\(?${ABOUT}[^\\s"\`<>()[\\]{}=:;!?,]{1,32}(?<![.'])\\)?){0,8}?(?:,\\s(?:[\\p{L}'’]{1,16}\\s?){1,4},)?`;

/** `be`, or `read`, and what is changed to a value or from it. */
const VERBS = [
  "is|was|are|were|be|been|becomes?|became|equals|reads|to|(?<!same )as|it's|ist|sind|war|waren|lautete?|lauten|wird|wurde von|soll(?:te)?|muss|sei|sein|hei(?:ß|ss)t|auf|als",
  'es|son|era|será|sea|fue|est|sont|était|sera|soit|è|é|sono|sarà|são|foi|zijn|wordt|luidt|to|jest|są|był[ao]?|będzie|brzmi|это|был|была|будет|теперь|сейчас',
  '(?:chang|went|mov|rotat|switch|updat|ge?änder|gesetz|gewechsel|cambi|pass|modifi|mud|alter|gewijzig|verander|ingestel|impost|defini|configur|zmieni|ustawi|измен|помен|смен)\\p{L}{0,8} (?:from|von|a|de|da|por|para|à|par|en|in|van|naar|z|na|с|на)',
].join('|');
const ADVERBS =
  'now|currently|still|just|actually|simply|always|again|like|jetzt|nun|aktuell|derzeit|wieder|noch|einfach|ahora|actualmente|maintenant|désormais|actuellement|adesso|ora|attualmente|agora|atualmente|nu|momenteel|teraz|obecnie|теперь|сейчас';
const IS = `(?:\\s(?:=|→|->|${VERBS})(?:\\s(?:${ADVERBS})){0,2}:?\\s{1,2}|\\s?\\*{0,2}[:=：]\\*{0,2}\\s{1,2}|\\s[–—-]\\s)`;
const OPENING = '(?:\\\\{0,3}["\'`“„«])?';

/** Letters and digits that alternate, as they do in no word with a number. */
const UNMIXED = '(?![^A-Za-z]*[A-Za-z][^\\d]*\\d[^A-Za-z]*[A-Za-z]|[^\\d]*\\d[^A-Za-z]*[A-Za-z][^\\d]*\\d)';
/** `SHA256`, `PBKDF2-hashed`, `RFC8259`, `12-character`, `Ctrl+F5`. */
const TERMS =
  '(?:PBKDF|[Ss][Hh][Aa]|MD|AES|RSA|[HREP]S|HMAC|ECDSA|[Ee]d|[Xx]|[Aa]rgon|[Bb]crypt|[Bb]ase|UTF|utf|ISO|RFC|WPA|TLS|OAuth|Node|Python|MySQL|PostgreSQL)-?\\d{1,5}(?:[-_/.+]\\S*)?$|\\d{1,4}[-–+]?[a-zäöüßéáíóúñçłśćżźęąа-я]{3,}(?:-[a-zäöüß]+)*$|(?:Ctrl|Cmd|Alt|Shift|Strg|Fn)[+-]|[a-z]{2}-[a-z]+-\\d[a-z]?$';
/** Words in lower case, or at most three: more are a passphrase. */
const PLAIN_WORDS =
  '[A-Za-z]?[a-z]{2,}\\d{0,2}(?:[-_./:+]+(?:[a-z]+\\d{0,2}|\\d{1,4}))*[-_.:!?]*$|[A-Za-z]?[a-z]{2,}\\d{0,2}(?:[-_./:+]+(?:[A-Za-z]?[a-z]+|[A-Z]+|\\d{1,4})){0,2}[-_.:!?]*$|[A-Z]+(?:[-_.]+[A-Z]+)*(?:[-_.]\\d{1,5})?$';

const PASSWORD_VALUE = '[^\\s"\'`“”„«»<>\\\\]{6,}(?<![.:?,;)\\]])';
const SECRET_VALUE = '[^\\s"\'`“”„«»,;<>(){}[\\]\\\\]{8,}(?<![.:?])';
const OTHERS = [PLACEHOLDER, DATA, CODE, NO_DIGIT, TERMS];
const NO_PASSWORD = unlike(...OTHERS, PLAIN_WORDS, CALL, FILE);
const NO_SECRET = unlike(...OTHERS, WORDS, FILE, NAMED_HASH, UUID, UNMIXED);
const ANY_NAME =
  /pass|pw|psk|mdp|kennw|passe|contrase|senha|palavra|parola|wachtwoord|has[łl]|парол|key|secret|token|credential|schl|geheim|code|kod|clave|llave|chave|chiave|segre|jeton|cl[ée]|sleutel|klucz|sekret|ключ|секрет|токен|код|c[óo]d|otp|fa[ -]/iu;

/** A value that is named in a sentence. */
function prose(keyword: RegExp, before: string, value: string, not: RegExp, after = ''): RedactionRule {
  const pattern = new RegExp(`(?<kept>${before}${OPENING})${value}${after}`, 'giu');
  return { id: 'assigned-secret', keyword, pattern, entropy: 2.2, unlike: not };
}

const CJK = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー、，：:「『“\\s]';
const CJK_NAMES =
  '密码|密碼|口令|密钥|密鑰|金鑰|秘钥|令牌|恢复码|备用码|パスワード|パスフレーズ|合言葉|秘密鍵|(?:api|アクセス|ライセンス|シークレット|秘密|暗号)\\s?(?:キー|鍵)|シークレット|トークン|(?:リカバリー|バックアップ|アクセス)コード';
const ASCII_VALUE = '[!#-&(-+\\--_a-z|~]{8,}(?<![.:])';

/** Between the values of a list, or of a change: `A, B and C`, `from A to B`. */
const NEXT =
  '(?:,?\\s(?:and|or|und|oder|y|o|et|ou|e|en|of|i|lub|и|или|to|auf|zu|a|para|à|naar|na|на|->|→)\\s|[,;/|]\\s?|\\s?\\r?\\n\\s{0,8}(?:[-*•]\\s|\\d{1,2}[.)]\\s)?|、|和|と)';
const MASK = '\\[redacted: assigned-secret\\]';
/** Letters and digits that alternate. */
const MIXED =
  '(?=[^\\sA-Za-z]*[A-Za-z][^\\s\\d]*\\d[^\\sA-Za-z]*[A-Za-z]|[^\\s\\d]*\\d[^\\sA-Za-z]*[A-Za-z][^\\s\\d]*\\d)';
const LISTED = `${MIXED}${PASSWORD_VALUE.replace('[^\\s', '[^\\s,;')}`;

/** Credentials in prose that say a value is one: `the password for the server is …`, `mi clave de API es …`. */
export const PROSE_RULES: readonly RedactionRule[] = [
  prose(ANY_NAME, `(?:${PASSWORDS})${BETWEEN}${IS}`, PASSWORD_VALUE, NO_PASSWORD),
  prose(ANY_NAME, `(?:${SECRETS})${BETWEEN}${IS}`, SECRET_VALUE, NO_SECRET),
  // `the password, …`, `the database password got rotated, it is …`.
  prose(
    ANY_NAME,
    `(?:${PASSWORDS})(?:,?\\s|${BETWEEN}[,.;?!]?\\s(?:it(?: is|['’]s)|c['’]est|es ist)\\s(?:(?:${ADVERBS})\\s)?)`,
    SECRET_VALUE,
    NO_SECRET,
  ),
  // Russian leaves out `is`.
  prose(/парол/iu, '(?:парол[ья])(?:\\s(?:от|для|к|на)\\s[^\\s.!?]{1,32}){1,2}\\s', SECRET_VALUE, NO_SECRET),
  prose(/[\p{sc=Han}\p{sc=Kana}]/u, `(?<!公|主)(?:${CJK_NAMES})${CJK}{1,14}?`, ASCII_VALUE, NO_SECRET),
  // Groups of capitals and digits, as vendors print them.
  prose(
    /key|code|schl|clave|cl[ée]|chave|chiave|sleutel|klucz|ключ/iu,
    `(?:(?:licen[sc]e|product|activation|registration|serial|cd)[ -]?(?:key|code)|(?:lizenz|produkt|aktivierungs)-?(?:schlüssel|code)|(?:clave|cl[ée]|chave|chiave|klucz|ключ|code|código|codice) (?:de |di |d['’])?(?:licen|activ|produ|attiv|produkt|лиценз|актив)[\\p{L}]{0,9}|licentiesleutel)${BETWEEN}${IS}`,
    '[A-Z\\d]{4,8}(?:-[A-Z\\d]{4,8}){2,}(?![\\w-])',
    unlike(PLACEHOLDER, NO_DIGIT, '[\\d-]+$'),
  ),
  // The name after the value: `… is the root password`, `use … as the password`.
  prose(
    ANY_NAME,
    '(?<![^\\s"\'`“„«(])',
    '[^\\s"\'`“”„«»,;<>(){}[\\]\\\\]{6,64}',
    NO_SECRET,
    `(?=["'\`”“»]?\\s(?:is|was|as|ist|war|als|es|est|è|é|come|como|comme|to|jako)\\s(?:(?:the|my|our|your|its|das|der|mein|unser|la|el|le|il|a|mi|ma|mon|notre|nuestra|minha|mia|het|mijn|moje)\\s)?(?:\\p{L}[^\\s.,;:!?]{0,16}\\s){0,3}?(?:${PASSWORDS}|(?:api|access|secret|licen[sc]e)[ -](?:key|token)|api-schlüssel)(?=[.,;:!?)]|$|\\s(?:for|of|to|on|in|at|from|now|and|für|von|vom|zum|de|del|du|da|do|di|della|van|voor)(?!\\p{L})))`,
  ),
  // What follows a value: more codes, or the new password after the old one.
  prose(new RegExp(`${MASK}${NEXT}`, 'iu'), `${MASK}${NEXT}`, `${LISTED}(?:${NEXT}${LISTED})*`, NO_SECRET),
];
