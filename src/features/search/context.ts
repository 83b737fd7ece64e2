import { factOf, oneLine, withoutTags } from '../../contract/fence.ts';
import { lastSaid } from '../../contract/memories.ts';
import { originMark } from '../../contract/origin.ts';
import { CONTEXT_HEADING, type ContextAnswer, type FoundMessage, type SearchResult } from '../../contract/search.ts';
import { OWN_SPACE } from '../../contract/spaces.ts';
import { speakerOf } from '../../contract/speaker.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import { type DiverseItem, diverseOrder } from './diversity.ts';
import { type Excerpt, excerptOf, joinPieces, SENTENCE } from './excerpt.ts';

/** A line has at least its number, its date and a word. */
const MIN_LINE_TOKENS = 8;
/** Ellipses before and after the first piece of a line, and one more with each further piece. */
const FIRST_ELLIPSIS_TOKENS = 2;
const ELLIPSIS_TOKENS = 1;

type Context = Omit<ContextAnswer, 'searchId' | 'confidence'>;

/** A result in a context, and how much of its text is shown so far. */
interface Line {
  result: SearchResult;
  head: string;
  excerpt: Excerpt;
  shown: Set<number>;
}

/** One step of filling a context: a further piece of a line. */
interface Step {
  line: Line;
  piece: number;
}

/**
 * Composes a block of text for a prompt: the best and most diverse results (see `diverseOrder`), one numbered line
 * each, with only the matching passages of long ones; once all are in, the rest of their texts. The order of these steps
 * does not depend on `maxTokens` and none is left out, so a larger budget shows all that a smaller one does, and more.
 * The text never exceeds the budget. `weights` are those of the query's terms. Where nobody asked for memories
 * (`isUnasked`), a line ends with the sentence that says it.
 */
export async function composeContext(
  results: readonly SearchResult[],
  weights: ReadonlyMap<string, number>,
  { maxTokens, countTokens, isUnasked = false }: { maxTokens: number; countTokens: CountTokens; isUnasked?: boolean },
): Promise<Context> {
  const taken: Step[] = [];
  const lines = new Set<Line>();
  let tokens = await countTokens(CONTEXT_HEADING);
  for (const step of stepsOf(results, weights, isUnasked)) {
    if (!lines.has(step.line) && maxTokens - tokens < MIN_LINE_TOKENS) break;
    tokens += await costOf(step, countTokens);
    if (tokens > maxTokens) break;
    lines.add(step.line);
    step.line.shown.add(step.piece);
    taken.push(step);
  }
  return longestFitting(taken, lines, { maxTokens, countTokens });
}

/** Lazy: results are divided into pieces on demand. */
function* stepsOf(
  results: readonly SearchResult[],
  weights: ReadonlyMap<string, number>,
  isUnasked: boolean,
): Generator<Step> {
  const lines: Line[] = [];
  for (const index of diverseOrder(toDiverseItems(results))) {
    const line = toLine(results[index]!, lines.length + 1, weights, isUnasked);
    lines.push(line);
    for (const piece of line.excerpt.matching) yield { line, piece };
  }
  if (isUnasked) return;
  for (const line of lines) for (const piece of line.excerpt.others) yield { line, piece };
}

async function costOf({ line, piece }: Step, countTokens: CountTokens): Promise<number> {
  const { head, shown, excerpt } = line;
  const { text } = excerpt.pieces[piece]!;
  const hasGaps = excerpt.others.length > 0;
  if (shown.size > 0) return (await countTokens(` ${text}`)) + (hasGaps ? ELLIPSIS_TOKENS : 0);
  return (await countTokens(`\n${head}${text}`)) + (hasGaps ? FIRST_ELLIPSIS_TOKENS : 0);
}

/** Drops the last steps until the whole text fits: tokens may span pieces, so the sum over steps is only an estimate. */
async function longestFitting(
  taken: Step[],
  lines: Set<Line>,
  { maxTokens, countTokens }: { maxTokens: number; countTokens: CountTokens },
): Promise<Context> {
  for (let last = taken.pop(); last !== undefined; last = taken.pop()) {
    const text = [CONTEXT_HEADING, ...[...lines].map(textOf)].join('\n');
    const tokens = await countTokens(text);
    if (tokens <= maxTokens) return { text, citations: [...lines].map(toCitation), tokens };
    last.line.shown.delete(last.piece);
    if (last.line.shown.size === 0) lines.delete(last.line);
  }
  return { text: '', citations: [], tokens: 0 };
}

function toLine(result: SearchResult, number: number, weights: ReadonlyMap<string, number>, isUnasked: boolean): Line {
  const speaker = result.type === 'message' ? speakerPrefix(result) : '';
  const mark = result.type === 'memory' ? originMark(result.origin) : undefined;
  const { author = null, space } = result as SearchResult & { author?: string | null };
  const facts = [
    momentOf(result).slice(0, 10),
    ...(space !== undefined && space !== OWN_SPACE ? [`in ${factOf(space)}`] : []),
    ...(author === null ? [] : [`by ${author}`]),
    ...(mark ? [mark] : []),
    ...(result.restatedBy || result.possiblySupersededBy ? ['older'] : []),
  ];
  const head = `[${number}] (${facts.join(', ')}) ${speaker}`;
  return {
    result,
    head,
    excerpt: excerptOf(result.content, weights, isUnasked ? SENTENCE : undefined),
    shown: new Set(),
  };
}

function speakerPrefix(message: FoundMessage): string {
  return message.role === 'tool' ? '(a tool said) ' : `${speakerOf(message)}: `;
}

function textOf({ head, excerpt, shown }: Line): string {
  return withoutTags(oneLine(head + joinPieces(excerpt.pieces, shown)));
}

function toCitation(
  { result: { type, id, score, relevance, space } }: Line,
  index: number,
): Context['citations'][number] {
  return { marker: `[${index + 1}]`, type, id, score, relevance, ...(space !== undefined && { space }) };
}

/** A result scores at least as high as those after it, because it ranks higher as a newer version of one of them. */
function toDiverseItems(results: readonly SearchResult[]): DiverseItem[] {
  let score = 0;
  return results
    .toReversed()
    .map((result) => {
      score = Math.max(score, result.score);
      return { text: result.content, atMs: parseTimestamp(momentOf(result)) ?? 0, score };
    })
    .reverse();
}

/** When a result was said, or began. */
export function momentOf(result: SearchResult): string {
  if (result.type === 'memory') return lastSaid(result);
  return result.type === 'episode' ? result.startedAt : result.createdAt;
}
