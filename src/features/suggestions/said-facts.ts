import { finish } from '../../lib/time-slices.ts';
import { type Language, pattern, type SaidPatterns } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { piecesOf } from '../search/excerpt.ts';
import {
  announcesText,
  givenTextIn,
  isCondition,
  isReported,
  isShort,
  namesText,
  paragraphsOf,
  QUOTED,
  typedIn,
} from './own-words.ts';

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
/** A person or an account that was made up for tests. */
const FIXTURE = pattern(
  String.raw`(?<!\p{L})(?:test|demo|dummy|sample|mock|fake|example)[ -]?(?:user|account|customer|client|person|persona|patient|tenant|student)s?(?!\p{L})
  |(?:test|beispiel|demo)-?(?:be)?(?:nutzer|kund|konto|person|patient)|(?:usuari[oa]|cliente|cuenta) de prueba|(?:utilisat(?:eur|rice)|client|compte) (?:de )?test|(?:utente|cliente) di prova|(?:usuári[oa]|cliente) de teste|testgebruiker|testklant|(?:użytkownik|klient) testowy|тестов\p{L}+ (?:пользовател|клиент|аккаунт)
  |测试(?:用户|账号|客户)|テスト(?:ユーザー|アカウント)`,
);
/** Makes a question of what precedes it: ", right?". */
const ASKED_WHETHER = /[,;，、]\s*[\p{L}'’-]+(?:\s+[\p{L}'’-]+)?\s*[?？]\s*$/u;
/** A clause begins behind it. */
const BEGINS_CLAUSE =
  /(?:^|[,;:!(–—，、；：！]|\s-|(?<!\p{L})(?:and|but|und|aber|et|mais|y|pero|e|ma|però|mas|en|maar|i|ale|и|но))\s*$/iu;
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
  if (TAGS.test(message) || givenTextIn(message) !== undefined || namesText(message)) return [];
  const paragraphs = paragraphsOf(message.replace(QUOTED, ''));
  const languages = new Set(paragraphs.filter((paragraph) => !isShort(paragraph)).map(languageOf));
  // One of them is a text to work on.
  if (languages.size > 1) return [];
  const language = languageOf(paragraphs.join('\n'));
  const typed = typedIn(paragraphs, announcesText);
  const facts = new Map<string, SaidFact>();
  for (const { text } of piecesOf(typed)) {
    yield;
    for (const fact of factsInSentence(text, language)) facts.set(fact.text.toLowerCase(), fact);
    if (facts.size >= MAX_FACTS) break;
  }
  return [...facts.values()];
}

/** Finds what a sentence of a language states; several facts of it are one. */
export function factsInSentence(sentence: string, language: Language): SaidFact[] {
  if (isReported(sentence) || isCondition(sentence)) return [];
  if (FIXTURE.test(sentence) || ASKED_WHETHER.test(sentence)) return [];
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
