import { CONTEXT_HEADING, type ContextAnswer, type SearchResult } from '../../contract/search.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import { type DiverseItem, diverseOrder } from './diversity.ts';

/** No text has this many characters per token: a line that exceeds it cannot fit and is skipped uncounted. */
const MAX_CHARACTERS_PER_TOKEN = 16;
/** A line has at least its number, its date and a word. */
const MIN_LINE_TOKENS = 8;

/**
 * Composes a block of text for a prompt: the best and most diverse results (see `diverseOrder`), one numbered line
 * each, as many as fit into `maxTokens` with the heading. A result that does not fit is skipped in favor of shorter
 * ones. The text never exceeds the budget.
 */
export async function composeContext(
  results: readonly SearchResult[],
  maxTokens: number,
  countTokens: CountTokens,
): Promise<Omit<ContextAnswer, 'searchId'>> {
  const lines = [CONTEXT_HEADING];
  const citations: ContextAnswer['citations'] = [];
  let tokens = await countTokens(CONTEXT_HEADING);
  for (const index of diverseOrder(results.map(toDiverseItem))) {
    if (maxTokens - tokens < MIN_LINE_TOKENS) break;
    const result = results[index]!;
    const line = lineOf(result, citations.length + 1);
    if (line.length > (maxTokens - tokens) * MAX_CHARACTERS_PER_TOKEN) continue;
    const cost = await countTokens(`\n${line}`);
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    lines.push(line);
    citations.push({ marker: `[${citations.length + 1}]`, type: result.type, id: result.id, score: result.score });
  }
  return longestFitting(lines, citations, maxTokens, countTokens);
}

/** Drops lines until the whole text fits: tokens may span line breaks, so the sum over lines is only an estimate. */
async function longestFitting(
  lines: string[],
  citations: ContextAnswer['citations'],
  maxTokens: number,
  countTokens: CountTokens,
): Promise<Omit<ContextAnswer, 'searchId'>> {
  for (; citations.length > 0; lines.pop(), citations.pop()) {
    const text = lines.join('\n');
    const tokens = await countTokens(text);
    if (tokens <= maxTokens) return { text, citations, tokens };
  }
  return { text: '', citations: [], tokens: 0 };
}

function lineOf(result: SearchResult, number: number): string {
  const text = result.type === 'message' ? `${result.name ?? result.role}: ${result.content}` : result.content;
  return `[${number}] (${momentOf(result).slice(0, 10)}) ${text.replace(/\s+/g, ' ').trim()}`;
}

function toDiverseItem(result: SearchResult): DiverseItem {
  return { text: result.content, atMs: parseTimestamp(momentOf(result)) ?? 0, score: result.score };
}

function momentOf(result: SearchResult): string {
  if (result.type === 'memory') return result.occurredAt ?? result.createdAt;
  return result.type === 'episode' ? result.startedAt : result.createdAt;
}
