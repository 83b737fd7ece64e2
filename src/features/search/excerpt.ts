import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';

/** A sentence, a line, or part of a longer one. */
interface Piece {
  /** Whitespace is collapsed to single spaces. */
  text: string;
  /** Whether whitespace precedes it. */
  isSpaced: boolean;
}

/** A text in pieces, with the order in which a context shows them. */
export interface Excerpt {
  pieces: readonly Piece[];
  /** Indices of the pieces that say most about the query, then of the others; each list in the order of the text. */
  matching: readonly number[];
  others: readonly number[];
}

/** How much of a text matches, in characters. */
interface ExcerptLength {
  /** Texts up to this length are shown whole. */
  whole: number;
  /** Matching pieces of a longer text end with the one that exceeds this. */
  matching: number;
  /** Where more comes from if those are shorter. */
  from: 'beginning' | 'following';
}

/** About two sentences. */
const PASSAGE: ExcerptLength = { whole: 300, matching: 240, from: 'beginning' };
/** The sentence that says it. */
export const SENTENCE: ExcerptLength = { whole: 120, matching: 90, from: 'following' };
const MAX_PIECE_CHARACTERS = 300;
/** A shorter piece is a heading or an item of a list: the next one says what it is about. */
const MIN_SENTENCE_CHARACTERS = 60;
/** Only the beginning of a text is compared with the query: a page takes milliseconds. */
const MAX_COMPARED_CHARACTERS = 32_000;
/** What it takes to read a piece, however short, in characters. */
const PIECE_CHARACTERS = 16;
/** Where a sentence may end: whitespace, or a Chinese or Japanese end mark, which needs none. */
const BREAKS = /\s+|[。！？][」』”）]{0,3}/gu;
const END_MARK = /[.!?…]["'”’)\]*_]{0,3}$/u;
const MAX_MARK_CHARACTERS = 4;
/** Where a sentence goes on behind a period and a space, here a line break: abbreviations, initials, German ordinals. */
const GOES_ON = new RegExp(
  String.raw`(?<![\p{L}\p{N}./])(?:[^\P{L}iyя]|e\.g|i\.e|z\.b|d\.h|dr|st|nr|mrs?|ms|sra?|prof|dott|sig|inż|mgr|avd?a?|rd|ul|bzw|tj|np|ca|approx|tel|ул|пр|им)\.\n
    |(?<!\p{L}|\bi )(?:[ai]m|de[rmns]|die|das|vom|zu[mr]|beim|(?:mein|unser|jed)e[rmns]?) \d{1,2}\.\n
    |(?<!\S)\d{1,2}\.\n(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)
    |(?<![\p{L}\p{N}.])\p{L}{1,4}\.\n\d{1,4}(?![\d.)])`.replace(/\n\s*/g, ''),
  'iu',
);
const BEFORE_CHARACTERS = 16;
const AFTER_CHARACTERS = 5;
/** What may end a sentence, too, but not before a lower-case letter: "3. maja" and "usw.". */
const GOES_ON_SMALL = /(?<!\S)(?:\d{1,2}|etc|usw|itd|ecc)\.\n\p{Ll}/u;

/** Divides a text and finds the pieces that hold the most weight of query terms; `weights` are by root. */
export function excerptOf(text: string, weights: ReadonlyMap<string, number>, limit = PASSAGE): Excerpt {
  const pieces = piecesOf(text);
  const length = pieces.reduce((sum, piece) => sum + piece.text.length + 1, 0);
  const all = [...pieces.keys()];
  if (length <= limit.whole) return { pieces, matching: all, others: [] };
  const selected = new Set(select(pieces, weights, limit));
  return {
    pieces,
    matching: all.filter((index) => selected.has(index)),
    others: all.filter((index) => !selected.has(index)),
  };
}

/** Joins the pieces shown, with an ellipsis where something is left out. */
export function joinPieces(pieces: readonly Piece[], shown: ReadonlySet<number>): string {
  let text = '';
  let isGap = false;
  for (const [index, piece] of pieces.entries()) {
    if (!shown.has(index)) {
      isGap = true;
      continue;
    }
    const space = text !== '' && piece.isSpaced ? ' ' : '';
    const ellipsis = text === '' ? '… ' : ' … ';
    text += (isGap ? ellipsis : space) + piece.text;
    isGap = false;
  }
  return isGap ? `${text} …` : text;
}

/** Divides a text into sentences and lines, and longer ones into parts. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let isSpaced = false;
  const add = (end: number) => {
    const plain = text.slice(start, end).replace(/\s+/g, ' ').trim();
    if (plain === '') return;
    for (const [at, part] of partsOf(plain).entries()) {
      pieces.push({ text: part.trim(), isSpaced: at === 0 ? isSpaced : part.startsWith(' ') });
    }
    isSpaced = false;
  };
  for (const { 0: found, index } of text.matchAll(BREAKS)) {
    const isSpace = found.trim() === '';
    const before = text.slice(Math.max(start, index - MAX_MARK_CHARACTERS), index);
    const end = index + found.length;
    if (isSpace && !found.includes('\n') && (!END_MARK.test(before) || goesOn(text, index, end))) continue;
    add(end);
    start = end;
    isSpaced ||= isSpace;
  }
  add(text.length);
  return pieces;
}

/** Whether a sentence goes on behind the whitespace between two indices: a period before it does not end it. */
function goesOn(text: string, from: number, to: number): boolean {
  if (text[from - 1] !== '.') return false;
  const around = `${text.slice(Math.max(0, from - BEFORE_CHARACTERS), from)}\n${text.slice(to, to + AFTER_CHARACTERS)}`;
  return GOES_ON.test(around) || GOES_ON_SMALL.test(around);
}

/** Cuts before a space where there is one, and never inside a character. */
function partsOf(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > MAX_PIECE_CHARACTERS) {
    const space = rest.lastIndexOf(' ', MAX_PIECE_CHARACTERS);
    const isPair = /[\uD800-\uDBFF]/.test(rest[MAX_PIECE_CHARACTERS - 1]!);
    const cut = space > 0 ? space : MAX_PIECE_CHARACTERS - (isPair ? 1 : 0);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...parts, rest];
}

/** Selects pieces greedily by the weight of the terms that they add; the beginning where no piece has any. */
function select(
  pieces: readonly Piece[],
  weights: ReadonlyMap<string, number>,
  { matching: characters, from }: ExcerptLength,
): number[] {
  const found = stemsOf(pieces, weights);
  // Of pieces with the same stems, only the first can be the best.
  const first = new Map<string, number>();
  for (const [index, stems] of found.entries()) {
    if (stems.size === 0) continue;
    const key = [...stems].sort().join(' ');
    if (!first.has(key)) first.set(key, index);
  }
  const tried = [...first.values()];
  const selected: number[] = [];
  const covered = new Set<string>();
  let length = 0;
  const add = (index: number) => {
    if (selected.includes(index)) return;
    selected.push(index);
    length += pieces[index]!.text.length;
    for (const stem of found[index]!) covered.add(stem);
  };
  while (length < characters) {
    const gains = tried.map((index) =>
      [...found[index]!].reduce((sum, stem) => sum + (covered.has(stem) ? 0 : weights.get(stem)!), 0),
    );
    const at = gains.indexOf(Math.max(...gains));
    if (!(gains[at]! > 0)) break;
    const best = tried[at]!;
    add(best);
    const isShort = pieces[best]!.text.length < MIN_SENTENCE_CHARACTERS;
    if (isShort && best + 1 < pieces.length) add(best + 1);
  }
  const start = from === 'following' && selected.length > 0 ? Math.max(...selected) : 0;
  for (let index = start; length < characters && index < pieces.length; index += 1) add(index);
  return selected;
}

const NO_STEMS: ReadonlySet<string> = new Set();

/** The stems of the query in each piece of the beginning. */
function stemsOf(pieces: readonly Piece[], weights: ReadonlyMap<string, number>): ReadonlySet<string>[] {
  let length = 0;
  return pieces.map(({ text }) => {
    length += text.length + PIECE_CHARACTERS;
    if (length > MAX_COMPARED_CHARACTERS) return NO_STEMS;
    return new Set(
      termsOf(text)
        .map(rootOf)
        .filter((stem) => weights.has(stem)),
    );
  });
}
