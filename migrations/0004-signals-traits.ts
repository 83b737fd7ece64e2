// Frozen copy of the traits this migration landed with; later changes to src must not alter it.
import { datesIn } from './0004-signals-dates.ts';

const TRAIT = { question: 1, firstPerson: 2, number: 4, time: 8, name: 16, place: 32, asks: 64 } as const;
const READ_CHARACTERS = 4000;
const QUESTION = /\?/;
const LETTER = /[\p{L}\p{N}]/u;
const FIRST_PERSON = /\b(?:I|I'm|I've|I'd|I'll|my|me|mine|we|our|us)\b/i;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|million|once|twice|couple|several|few)\b/i;
const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|past|ago|since|week(?:end)?s?|months?|years?|days?|hours?|morning|afternoon|evening|night|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber|recently|(?:19|20)\d\d|\d{1,2}(?::\d\d|\s?[ap]m))\b/i;
const NAME = /[\p{Ll}\p{N},;]\s+(?!I['’])\p{Lu}[\p{L}'’-]+/u;
const PLACE =
  /\b(?:in|at|from|to|near|around|visit(?:ed|ing)?)\s+(?:the\s+)?\p{Lu}[\p{L}'’-]+|\b(?:home|park|beach|city|town|country|street|school|cafe|restaurant|museum|shop|store|gym|church|hospital|university|college|mountains?|lake|forest|studio|office)\b/u;

export function deriveFrom(text: string, saidAtMs: number): { traits: number; dates: string | null } {
  const read = text.length > READ_CHARACTERS ? text.slice(0, READ_CHARACTERS) : text;
  const dates = datesIn(read, saidAtMs);
  return { traits: traitsOf(read), dates: dates.length === 0 ? null : JSON.stringify(dates) };
}

function traitsOf(text: string): number {
  return (
    (QUESTION.test(text) ? TRAIT.question : 0) |
    (endsAsking(text) ? TRAIT.asks : 0) |
    (FIRST_PERSON.test(text) ? TRAIT.firstPerson : 0) |
    (NUMBER.test(text) ? TRAIT.number : 0) |
    (TIME.test(text) ? TRAIT.time : 0) |
    (NAME.test(text) ? TRAIT.name : 0) |
    (PLACE.test(text) ? TRAIT.place : 0)
  );
}

function endsAsking(text: string): boolean {
  const mark = text.lastIndexOf('?');
  return mark >= 0 && !LETTER.test(text.slice(mark));
}
