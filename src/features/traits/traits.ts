import { datesIn } from './dates.ts';

/** Features of a text, computed once when it is written; `traits` are bits of `TRAIT`. */
export interface Derived {
  traits: number;
  /** The ranges of days it mentions, as JSON; `null` for none. */
  dates: string | null;
}

export const TRAIT = { question: 1, firstPerson: 2, number: 4, time: 8, name: 16, place: 32, asks: 64 } as const;

/** Only the beginning of a long text is read. */
const MAX_CHARACTERS = 4000;

const QUESTION = /\?/;
const LETTER = /[\p{L}\p{N}]/u;
const FIRST_PERSON = /\b(?:I|I'm|I've|I'd|I'll|my|me|mine|we|our|us)\b/i;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|once|twice|couple|several|few)\b/i;
const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|past|ago|since|week(?:end)?s?|months?|years?|days?|hours?|morning|afternoon|evening|night|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber|recently|(?:19|20)\d\d|\d{1,2}(?::\d\d|\s?[ap]m))\b/i;
/** A capitalized word inside a sentence, except "I" and its contractions. */
const NAME = /[\p{Ll}\p{N},;]\s+(?!I['’])\p{Lu}[\p{L}'’-]+/u;
const PLACE =
  /\b(?:in|at|from|to|near|around|visit(?:ed|ing)?)\s+(?:the\s+)?\p{Lu}[\p{L}'’-]+|\b(?:home|park|beach|city|town|country|street|school|cafe|restaurant|museum|shop|store|gym|church|hospital|university|college|mountains?|lake|forest|studio|office)\b/u;

/** Derives traits and dates; relative dates are resolved against the instant of writing. */
export function deriveFrom(text: string, writtenAtMs: number): Derived {
  const read = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
  const dates = datesIn(read, writtenAtMs);
  return { traits: traitsOf(read), dates: dates.length === 0 ? null : JSON.stringify(dates) };
}

function traitsOf(text: string): number {
  return (
    (QUESTION.test(text) ? TRAIT.question : 0) |
    (endsWithQuestion(text) ? TRAIT.asks : 0) |
    (FIRST_PERSON.test(text) ? TRAIT.firstPerson : 0) |
    (NUMBER.test(text) ? TRAIT.number : 0) |
    (TIME.test(text) ? TRAIT.time : 0) |
    (NAME.test(text) ? TRAIT.name : 0) |
    (PLACE.test(text) ? TRAIT.place : 0)
  );
}

/** Whether nothing but punctuation follows the last question mark. */
function endsWithQuestion(text: string): boolean {
  const mark = text.lastIndexOf('?');
  return mark >= 0 && !LETTER.test(text.slice(mark));
}
