import { finish } from '../../lib/time-slices.ts';
import { type Language, pattern, type SaidPatterns } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { piecesOf } from '../search/excerpt.ts';
import { FENCED, isPastedLine } from '../search/prompt-subject.ts';

/** What a person said that may be worth remembering, in their words. */
export interface SaidFact {
  text: string;
  /** The share of such facts that people keep; see docs/suggestions.md. */
  confidence: number;
}

const MIN_WORDS = 3;
const MAX_WORDS = 30;
const MAX_CHARACTERS = 240;
/** Facts of one message. */
const MAX_FACTS = 5;

const SHORT_WORDS = 5;
/** Clauses of a sentence that are read. */
const MAX_CLAUSES = 12;
/** What others wrote, or a text to work on. No mark is looked for past the next one that opens, but for one level within 「…」. */
const QUOTED =
  /(?<=^|[\s(])"[^"]{30,}(?:"(?=[\s.,;:!?)]|$)|$(?![\s\S]))|[“„][^”“„]{30,}[”“]|«[^«»]{30,}»|[「『](?:[^「」『』]|[「『][^「」『』]{0,300}[」』]){20,}[」』]/gm;
const LETTER =
  /^\s*(?:dear|hi|hello|hey|hallo|liebe|lieber|sehr geehrte[rs]?|bonjour|madame|monsieur|chère?s?|hola|estimad[oa]s?|gentil[ei]|spett|egregi[oa]|caro|cara|good (?:morning|afternoon|evening))\b[^\n]{0,40},?\s*$/im;
/** After a colon, a text begins that is pasted. */
const PARAGRAPHS = /\n\s*\n|(?<=[:：])\s*\n/;
/** A request about the text that follows. */
const ANNOUNCES =
  /[:：]\s*$|(?<!\p{L})(?:this|these|following|below|attached|hier|folgende\p{L}*|darauf|dem|diese\p{L}?|ce|cette|ces|ci-dessous|voici|est[eao]|siguiente|abajo|quest[oaie]|seguente|sotto|ecco)(?!\p{L})|下面|以下|这段|这封|这个|この|次の|上記/iu;
const MIN_TOLD_CHARACTERS = 40;
/** A longer paragraph after the first is pasted. */
const MAX_TYPED_CHARACTERS = 280;
/** Asks for work on a text that follows, or gives a text a name: "Translate: …", "cover letter: …". */
const TEXT_FOLLOWS = pattern(
  String.raw`(?<!\p{L})(?:translat\p{L}*|proofread|paraphrase|rephrase|reword|summari[sz]e|übersetz\p{L}*|umformulier\p{L}*|tradui\p{L}*|reformul\p{L}*|résum\p{L}*|tradu[cz]\p{L}*|resum\p{L}*|riformul\p{L}*|riassum\p{L}*)(?!\p{L})[^\n:：]{0,60}[:：]
  |(?<!\p{L})(?:(?:reply|respond|answer) to|antworte\p{L}* auf|beantworte\p{L}*|répond\p{L}* à|respond[ae]\p{L}* a|rispond\p{L}* a|antwoord\p{L}* op|odpowiedz na|ответь\p{L}* на)(?!\p{L})[^\n:：.!?]{0,60}[:：]
  |(?<!\p{L})(?:classify|analy[sz]e|answer|rewrite|shorten|polish|rate) (?:this|these|the following)(?!\p{L})[^\n:：.!?]{0,60}[:：]
  |(?:回复|回答这|返信|返事)[^\n:：]{0,20}[:：]
  |(?<!\p{L})(?:correct|fix|korrigier\p{L}*|corrige\p{L}*|corrija\p{L}*|corregg\p{L}*|correggi)\s?[:：]
  |(?<!\p{L})(?:letter|draft|e-?mail|bio|speech|quote|lyrics|song|sentence|paragraph|text|tweet|anschreiben|bewerbung|brief|entwurf|satz|lied|zitat|rede|lettre|brouillon|phrase|texte|paroles|citation|carta|borrador|frase|texto|letra|cita|lettera|bozza|testo|canzone|citazione|geht so)(?: \p{L}+){0,2}\s?[:：]
  |(?:翻译|润色|改写|改一下|修改|总结|这句话|这段|歌词|原文)[^\n:：]{0,20}[:：]|(?:翻訳|訳し|英語に|日本語に|直し|添削|要約|歌詞|原文)[^\n:：]{0,20}[:：]`,
);
/** What is said is made up: a story, a riddle, a role, or "suppose I lived in Berlin". */
const MADE_UP = new RegExp(
  String.raw`(?:^|[.!?]\s+)(?:please |bitte |now )?(?:pretend|imagine|suppose|assum(?:e|ing)|let['’]?s (?:say|pretend)|in (?:the|this|our) role[- ]?play|riddle|quiz|stell(?:t|en)? (?:dir|euch|sie sich) (?:mal )?vor|angenommen|nehmen wir an|rätsel|imagin(?:e|ez|ons|a|ad|emos)|suppos(?:e|ez|ons)|admettons|mettons|devinette|supón|supongamos|adivinanza|immagina\p{L}*|supponi\p{L}*|mettiamo|indovinello)(?!\p{L})
  |^(?:act as|you are (?:now )?an?|du bist (?:jetzt )?eine?|tu es une?|eres una?|sei una?|você é uma?|je bent een)(?!\p{L})|^你是一
  |(?:^|[.!?。！？]\s*)(?:假设|假如|想象|谜语|仮に|想像して|なぞなぞ)
  |(?<!\p{L})(?:write|tell|schreib|erzähl|écris|raconte|escribe|cuenta|scrivi|racconta)\p{L}{0,6}[^\n.!?]{0,30}(?<!\p{L})(?:story|poem|song|novel|dialogue|scene|geschichte|gedicht|lied|roman|dialog|szene|histoire|poème|chanson|scène|historia|cuento|poema|canción|escena|storia|racconto|poesia|canzone|scena)(?!\p{L})
  |(?<!\p{L})(?:my (?:main )?character|meine (?:haupt)?figur|mon personnage|mi personaje|il mio personaggio)(?!\p{L})|角色扮演|(?:写|讲)(?:一首|一个|个)?.{0,6}(?:故事|诗|歌)|ロールプレイ|(?:物語|小説|詩)を書`.replace(
    /\n\s*/g,
    '',
  ),
  'imu',
);
/** Somebody else's words follow. */
const REPORTED = pattern(
  String.raw`(?<!\p{L})(?:(?<!(?:^|[^\p{L}])I )say|sa(?:ys|id)|states?|mentions?|wrote|writes|steht|sagen|schreiben|sagt(?:e|en)?|schr(?:eibt|ieb|ieben)|meint(?:e|en)?|dit|disent|écrit|di(?:ce|cen|jo|jeron|cono)|escrib(?:e|ió)|scri(?:ve|sse)|ha (?:detto|scritto|dicho|escrito)|a (?:dit|écrit))(?: \p{L}+)?\s?[:：]
  |^\s*(?:according to|laut|gemäß|selon|d['’]après|según|secondo|segundo|volgens|według|согласно)(?!\p{L})[^\n:：]{0,40}[:：]
  |(?<!\p{L})(?:(?:says?|said|claims?|claimed|thinks) (?:that |i |we |my |our )|(?:sagt|behauptet|meint)e?,|(?:dit|prétend|affirme|pense) qu|(?:dice|dijo|afirma|cree|piensa) que |(?:dice|sostiene|pensa|crede) che |(?:diz|disse|afirma|acha) que |(?:zegt|zei|beweert|vindt) dat |(?:mówi|twierdzi|uważa),? że |(?:говорит|сказала?|считает|утверждает),? что )
  |(?:说|认为|觉得)[我他她]|[说写道][：:]|と(?:言|いっ?て|話し|書い)`,
);
/** A person or an account that was made up for tests. */
const FIXTURE = pattern(
  String.raw`(?<!\p{L})(?:test|demo|dummy|sample|mock|fake|example)[ -]?(?:user|account|customer|client|person|persona|patient|tenant|student)s?(?!\p{L})
  |(?:test|beispiel|demo)-?(?:be)?(?:nutzer|kund|konto|person|patient)|(?:usuari[oa]|cliente|cuenta) de prueba|(?:utilisat(?:eur|rice)|client|compte) (?:de )?test|(?:utente|cliente) di prova|(?:usuári[oa]|cliente) de teste|testgebruiker|testklant|(?:użytkownik|klient) testowy|тестов\p{L}+ (?:пользовател|клиент|аккаунт)
  |测试(?:用户|账号|客户)|テスト(?:ユーザー|アカウント)`,
);
/** Begins a condition, on which all of the sentence depends. */
const CONDITION =
  /^\s*(?:(?:and|und|et|y|e|but|aber|also)\s+)?(?:(?:if|wenn|falls|sofern|sollte(?:n|st)? (?:ich|wir)|si|se|supón|supongamos|angenommen|suppos\p{L}*)(?!\p{L})|s['’](?:il|ils)|如果|假如|要是|万一|假设|もし|仮に)/iu;
/** Makes a question of what precedes it: ", right?". */
const ASKED_WHETHER = /[,;，、]\s*[\p{L}'’-]+(?:\s+[\p{L}'’-]+)?\s*[?？]\s*$/u;
/** A clause begins behind it. */
const BEGINS_CLAUSE =
  /(?:^|[,;:!(–—，、；：！]|\s-|(?<!\p{L})(?:and|but|und|aber|et|mais|y|pero|e|ma|però|mas|en|maar|i|ale|и|но))\s*$/iu;
/** A line of a transcript: who says it, and perhaps when. */
const SPOKEN = /^\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?,?\s*)?\p{Lu}[\p{L}.-]{1,20}(?: \p{Lu}[\p{L}.-]{0,20})?\s?[:：]\s/u;
const TIMED =
  /^\s*[[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s{1,3})?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?[\])]?,?\s{1,3}(?:[-–—]\s)?<?@?[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,20}(?: \p{Lu}[\p{L}.-]{0,20})?(?:>|\s?[:：])\s/iu;
/** The line above what somebody said in a chat that was copied: `Ada Berg  10:23 AM`. */
const CHAT_HEADER =
  /^[ \t]*\p{L}[\p{L}_.-]{0,20}(?: \p{Lu}[\p{L}.-]{0,20}){0,2}[ \t]{1,3}\[?\d{1,2}:\d\d(?:[ \t]?[AP]M)?\]?[ \t]*$/mu;
/** A sentence about code. */
const CODE = /\p{L}\(\)|\S (?:=|=>|===?) \S/u;
/** What happens while somebody looks for a fault. */
const TROUBLE =
  /(?<!\p{L})(?:(?:\d+|two|three|zwei|drei|deux|trois|dos|tres|due|tre|this|these|the|diesen?|ces|cette|estos?|quest[oi]) (?:\p{L}+ )?(?:errors?|fehler|erreurs?|errores|error[ei]|stack ?traces?|tracebacks?)|nothing happens|(?:get|see) (?:nothing|nichts|null|a blank)|rien ne se passe|nichts passiert|(?:sehe|bekomme|passiert) (?:nichts|null)|(?:geht|läuft|startet|kompiliert) nicht|(?:doesn['’]?t|does not|won['’]?t) (?:work|compile|run|start)|ne (?:marche|compile|démarre) (?:pas|plus)|no (?:me )?(?:compila|funciona|arranca)|non (?:compila|funziona|parte)|(?:builds?|ci|pipelines?|tests?) (?:is|are|ist|sind|est|è|está) (?:en )?(?:red|green|rot|grün|rouge|verte?|ross[oa]|verde|rojo)|(?:following|folgenden?) code|(?:verstehe|comprends|entiendo|capisco|understand) (?:\p{L}+ ){0,3}(?:code|codice|código)|idiot\p{L}*|confused)(?!\p{L})|报错|跑不起来|看不懂|一片空白|動きません|動かない|分かりません|わかりません|エラー/iu;
const TAGS = /<\/?svc-memory/i;

/**
 * Finds what a person states about themselves or their work in a message: what they ask to remember, rules, preferences,
 * decisions and properties. Not requests, questions, conditions, guesses, fiction, what others said, code and pasted text. The rules of the message's language decide.
 */
export function factsIn(message: string): SaidFact[] {
  return finish(factsInSteps(message));
}

/** Finds them sentence by sentence; see `factsIn`. */
export function* factsInSteps(message: string): Generator<void, SaidFact[]> {
  if (TAGS.test(message) || TEXT_FOLLOWS.test(message) || MADE_UP.test(message)) return [];
  const paragraphs = message.replace(FENCED, '').replace(QUOTED, '').split(PARAGRAPHS);
  const languages = new Set(paragraphs.filter((paragraph) => !isShort(paragraph)).map(languageOf));
  // One of them is a text to work on.
  if (languages.size > 1) return [];
  const language = languageOf(paragraphs.join('\n'));
  const spoken = message.split('\n').filter((line) => SPOKEN.test(line)).length;
  const isSpoken = (line: string) => TIMED.test(line) || (SPOKEN.test(line) && spoken > 1);
  const typed = paragraphs
    .filter((paragraph, index) => index === 0 || (!ANNOUNCES.test(paragraphs[0]!) && isTyped(paragraph)))
    .flatMap((paragraph) => paragraph.split(CHAT_HEADER, 1)[0]!.split('\n'))
    .filter((line) => !isPastedLine(line) && !line.startsWith('>') && !isSpoken(line))
    .join('\n');
  const facts = new Map<string, SaidFact>();
  for (const { text } of piecesOf(typed)) {
    yield;
    for (const fact of factsInSentence(text, language)) facts.set(fact.text.toLowerCase(), fact);
    if (facts.size >= MAX_FACTS) break;
  }
  return [...facts.values()];
}

/** Long paragraphs and letters are pasted. */
function isTyped(paragraph: string): boolean {
  return paragraph.length <= MAX_TYPED_CHARACTERS && !LETTER.test(paragraph);
}

/** Too short to tell its language. */
export function isShort(paragraph: string): boolean {
  return paragraph.trim().length < MIN_TOLD_CHARACTERS;
}

/** Finds what a sentence of a language states; several facts of it are one. */
export function factsInSentence(sentence: string, language: Language): SaidFact[] {
  if ([REPORTED, FIXTURE, CONDITION, ASKED_WHETHER].some((pattern) => pattern.test(sentence))) return [];
  const { said } = language;
  const whole = withoutLeading(sentence, said);
  const asked = askedIn(whole, said);
  if (asked !== undefined && isKeepable(asked, language)) return [{ text: tidied(asked, language), confidence: 0.9 }];
  if (CODE.test(sentence)) return [];
  const isWhole = said.stated.some((pattern) => pattern.test(whole));
  if (isWhole && isKeepable(whole, language)) return [{ text: tidied(whole, language), confidence: 0.8 }];
  // A request may go on with what it needs to know.
  for (const [index, clause] of sentence.split(said.clauses, MAX_CLAUSES).entries()) {
    if (clause === '') continue;
    const rest = index === 0 ? clause : sentence.slice(sentence.indexOf(clause));
    for (const text of [rest, clause].map((one) => withoutLeading(one, said))) {
      if (isStated(text, said) && isKeepable(text, language))
        return [{ text: tidied(text, language), confidence: 0.7 }];
    }
  }
  const isRule = isStated(whole, said) && isKeepable(whole, language);
  return isRule ? [{ text: tidied(whole, language), confidence: 0.8 }] : [];
}

/** Returns what the person asks to remember; inside a clause, the words say something else: "I can't remember that". */
function askedIn(text: string, { explicit }: SaidPatterns): string | undefined {
  const found = explicit.exec(text);
  return found && BEGINS_CLAUSE.test(text.slice(0, found.index)) ? found[1] : undefined;
}

function isStated(text: string, { rules, stated }: SaidPatterns): boolean {
  return [...rules, ...stated].some((pattern) => pattern.test(text));
}

function isKeepable(text: string, { said, wordsOf }: Language): boolean {
  if (text.length > MAX_CHARACTERS || said.notKept.test(text) || TROUBLE.test(text) || said.refers.test(text))
    return false;
  const words = wordsOf(text).length;
  if (words <= SHORT_WORDS && said.points.test(text)) return false;
  return words >= MIN_WORDS && words <= MAX_WORDS;
}

/** Removes what introduces a statement: "by the way". */
export function withoutLeading(text: string, { leading }: SaidPatterns): string {
  let rest = text.trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(leading, '');
  }
  return rest;
}

/** Without what introduces it and what follows from it, unless little is left. */
function tidied(text: string, { said, wordsOf }: Language): string {
  const whole = withoutLeading(text, said);
  const alone = whole.replace(said.follows, '');
  return (wordsOf(alone).length > MIN_WORDS ? alone : whole).replace(/[\s).;,:。；，、]+$/, '');
}
