import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONTEXT_HEADING, type ContextAnswer, type SearchResult } from '../../contract/search.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import { type Choosable, diverseOrder } from './diversity.ts';

/** No text of any length has so many characters a token: a longer one is passed over unread. */
const CHARACTERS_PER_TOKEN = 16;
/** A line has at least its number, its date and a word. */
const SHORTEST_LINE_TOKENS = 8;
/** So many characters are counted in one turn; then others have theirs. */
const CHARACTERS_PER_TURN = 100_000;
/** So many results are weighed against each other in one. */
const RESULTS_PER_TURN = 6;

/**
 * One block of text for a prompt: the best and most diverse results (see `diverseOrder`), a line each, numbered for
 * citing, as many as fit into `maxTokens` with the heading. A result that does not fit is passed over, so that a shorter
 * one behind it may. Never more than the budget: what is counted is the whole text.
 */
export async function composeContext(
  results: readonly SearchResult[],
  maxTokens: number,
  countTokens: CountTokens,
): Promise<Omit<ContextAnswer, 'searchId'>> {
  const lines = [CONTEXT_HEADING];
  const citations: ContextAnswer['citations'] = [];
  let tokens = countTokens(CONTEXT_HEADING);
  let counted = 0;
  let considered = 0;
  for (const place of diverseOrder(results.map(toChoosable))) {
    if (maxTokens - tokens < SHORTEST_LINE_TOKENS) break;
    considered += 1;
    if (considered % RESULTS_PER_TURN === 0) await nextTurn();
    const result = results[place]!;
    const line = lineOf(result, citations.length + 1);
    if (line.length > (maxTokens - tokens) * CHARACTERS_PER_TOKEN) continue;
    counted += line.length;
    if (counted > CHARACTERS_PER_TURN) {
      counted = 0;
      await nextTurn();
    }
    const cost = countTokens(`\n${line}`);
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    lines.push(line);
    citations.push({ marker: `[${citations.length + 1}]`, type: result.type, id: result.id, score: result.score });
  }
  return longestFitting(lines, citations, maxTokens, countTokens);
}

/** Tokens may fall otherwise at the seams of lines: what counts is the whole text. */
function longestFitting(
  lines: string[],
  citations: ContextAnswer['citations'],
  maxTokens: number,
  countTokens: CountTokens,
): Omit<ContextAnswer, 'searchId'> {
  for (; citations.length > 0; lines.pop(), citations.pop()) {
    const text = lines.join('\n');
    const tokens = countTokens(text);
    if (tokens <= maxTokens) return { text, citations, tokens };
  }
  return { text: '', citations: [], tokens: 0 };
}

function lineOf(result: SearchResult, number: number): string {
  const text = result.type === 'message' ? `${result.name ?? result.role}: ${result.content}` : result.content;
  return `[${number}] (${momentOf(result).slice(0, 10)}) ${text.replace(/\s+/g, ' ').trim()}`;
}

function toChoosable(result: SearchResult): Choosable {
  return { text: result.content, atMs: parseTimestamp(momentOf(result)) ?? 0, score: result.score };
}

function momentOf(result: SearchResult): string {
  if (result.type === 'memory') return result.occurredAt ?? result.createdAt;
  return result.type === 'episode' ? result.startedAt : result.createdAt;
}
