import type { ContextAnswer, SearchResult } from '../../contract/search.ts';
import type { CountTokens } from '../../outside/tokens.ts';

const HEADING = 'What is remembered (newest knowledge wins; cite by number):';

/**
 * One block of text for a prompt: the best results, a line each, numbered for citing, as many as fit into `maxTokens`
 * with the heading. A result that does not fit is passed over, so that a shorter one behind it may. Never more than the
 * budget: what is counted is the whole text.
 */
export function composeContext(
  results: readonly SearchResult[],
  maxTokens: number,
  countTokens: CountTokens,
): Omit<ContextAnswer, 'searchId'> {
  const lines = [HEADING];
  const citations: ContextAnswer['citations'] = [];
  let tokens = countTokens(HEADING);
  for (const result of results) {
    const line = lineOf(result, citations.length + 1);
    const cost = countTokens(`\n${line}`);
    if (tokens + cost > maxTokens) continue;
    tokens += cost;
    lines.push(line);
    citations.push({ marker: `[${citations.length + 1}]`, type: result.type, id: result.id, score: result.score });
  }
  // Tokens may fall otherwise at the seams of lines: what counts is the whole text.
  while (citations.length > 0 && countTokens(lines.join('\n')) > maxTokens) {
    lines.pop();
    citations.pop();
  }
  if (citations.length === 0) return { text: '', citations: [], tokens: 0 };
  const text = lines.join('\n');
  return { text, citations, tokens: countTokens(text) };
}

function lineOf({ content, occurredAt, createdAt }: SearchResult, number: number): string {
  return `[${number}] (${(occurredAt ?? createdAt).slice(0, 10)}) ${content.replace(/\s+/g, ' ').trim()}`;
}
