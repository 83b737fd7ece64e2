import { piecesOf } from '../search/excerpt.ts';
import { FENCED, isPastedLine } from '../search/prompt-subject.ts';

/** A sentence that a person said, which may hold in later sessions. */
export interface Statement {
  text: string;
  /** How much it sounds like something to keep: 0.5 to about 6. */
  weight: number;
}

const MIN_WORDS = 3;
const MAX_CHARACTERS = 300;
const MIN_WEIGHT = 0.5;

/** What a rule or a preference says. */
const RULE =
  /\b(?:always|never|only|must|mustn['’]?t|do(?:es)?n['’]?t|do not|no longer|not any ?more|instead of|rather than|prefer\w*|hates?|loves?|likes?|allergic|can['’]?t|cannot|won['’]?t|shouldn['’]?t|not allowed|rules?|convention|policy|standard|by default|has to|have to)\b/i;
/** Of the person, or of what they work on with others. */
const OWN = /\b(?:I|I['’](?:m|ve|d|ll)|we|we['’](?:re|ve|d|ll)|us|our|ours|my|mine|me)\b/i;
/** Verbs by which a sentence states something. */
const STATES =
  /\b(?:is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|lives?|runs?|uses?|used|works?|worked|starts?|called|named|means|stands for|belongs?|goes|sits|lies|needs|takes?|costs?|owns?|speaks?|got|moved|switched|changed|bought|born|married|keeps?|comes?|wants?|eats?|plays?)\b|\w['’]s\b/i;
/** Names, numbers, paths and code: what is worth remembering is rarely without. */
const NAMES = /\d|`|[a-z,] [A-Z][\p{L}]|[\w-]+\/[\w-]|\w\.[a-z]{1,5}\b|--\w/u;
/** How a request or a question begins. */
const ASKS =
  /^(?:(?:ok(?:ay)?|so|and|now|then|also|great|hi|hey|hello|hm+|right|next|first|again|just|quick(?:ly)?|please|pls|plz)[,:]? )*(?:(?:can|could|would|will|should|shall|may|do|does|did|is|are|was|were|have|has|how|what|why|where|when|which|who|whose|let['’]?s|help|show|write|fix|add|make|rename|explain|give|draft|create|tell|find|check|run|look|update|change|remove|delete|move|refactor|implement|generate|translate|summari[sz]e|rewrite|shorten|tidy|clean|format|sort|convert|build|set|put|turn|use|try|read|open|review|test|plan|suggest|compare|list|describe|finish|start|prepare|compose|edit|extract|split|merge|replace|wire|bump|patch|debug|i (?:need|want) you)\b)/i;
/** Where a request goes on with what it needs to know. */
const CLAUSE = /[,;:(–—]|\s-+\s|\b(?:because|since|as|so|but|and|remember|note)\b/gi;
/** What holds now and not later. */
const PASSING =
  /\b(?:I['’]?m (?:trying|getting|seeing|looking|stuck)|I (?:get|see|tried|think|guess|wonder|need to|want to)|thanks?|thank you|right now|today|tonight|this (?:morning|afternoon|evening|time)|just now|for now)\b|^(?:yes|no|ok(?:ay)?|sure|perfect|great|nice|good|done|hm+)\b/i;
/** Begins with what the sentence before it names. */
const REFERS = /^(?:it|its|that|this|they|their|there|these|those|she|he|her|his|him|them|both|same)\b/i;
const MAX_SUBJECT_CHARACTERS = 120;
const HAS_ENGLISH = /\b(?:the|a|an|is|are|to|of|and|in|for|on|we|i|my|it|with|not|you)\b/i;

/**
 * Finds the sentences of a message that state something: rules and preferences, facts of the person and of their work; not
 * requests, questions and pasted text. The rules know English; of other languages every sentence counts that asks nothing.
 */
export function statementsOf(message: string): Statement[] {
  const typed = message
    .replace(FENCED, '')
    .split('\n')
    .filter((line) => !isPastedLine(line))
    .join('\n');
  const sentences = piecesOf(typed).map(({ text }) => text);
  return sentences.flatMap((sentence, index) => {
    const weight = weightOf(sentence);
    if (weight < MIN_WEIGHT) return [];
    const before = sentences[index - 1] ?? '';
    const needsSubject = REFERS.test(sentence) && before !== '' && before.length <= MAX_SUBJECT_CHARACTERS;
    return [{ text: needsSubject ? `${before} ${sentence}` : sentence, weight }];
  });
}

/** How much a sentence sounds like something to keep; 0 or less for what does not. */
export function weightOf(sentence: string): number {
  if (sentence.split(' ').length < MIN_WORDS || sentence.length > MAX_CHARACTERS || sentence.endsWith('?')) return 0;
  if (!ASKS.test(sentence)) return HAS_ENGLISH.test(sentence) || PASSING.test(sentence) ? stated(sentence) : 1;
  // The longest rest of a request after its first part.
  const clause = [...sentence.matchAll(CLAUSE)].find(
    ({ index, 0: mark }) => stated(sentence.slice(index + mark.length)) >= 2,
  );
  return clause === undefined ? 0 : stated(sentence.slice(clause.index + clause[0].length)) - 1;
}

function stated(text: string): number {
  const has = (pattern: RegExp, weight: number) => (pattern.test(text) ? weight : 0);
  const states = has(RULE, 2) + has(OWN, 1) + has(STATES, 1);
  return states === 0 ? 0 : states + has(NAMES, 1) - has(PASSING, 2);
}
