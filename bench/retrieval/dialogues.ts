import type { ContextAnswer, SearchAnswer } from '../../src/contract/search.ts';
import { NO_CANDIDATES } from '../../src/features/search/candidate.ts';
import { parseQuery } from '../../src/features/search/parsed-query.ts';
import { bucketOfQuery } from '../../src/features/search/ranking.ts';
import { stemOf } from '../../src/features/text/porter.ts';
import { queryTerms, termsOf } from '../../src/features/text/terms.ts';
import { callApi, connectMcp } from '../api-session.ts';
import { recallOf } from '../recall.ts';
import type { RecordedPool } from './pools.ts';
import { isHeadline, mean, type RecallRow, recallTable } from './recall-table.ts';
import type { Stated } from './reliability.ts';
import { type AskedQuestion, forEachQuestion, type StoredAs, type StoredDialogues } from './stored-dialogues.ts';

export type Door = 'rest' | 'mcp';

export interface DialogueFigures {
  storedAs: StoredAs;
  door: Door;
  strategy: string;
  questions: RecallRow[];
}

export interface ContextFigure {
  maxTokens: number;
  /** Share of the questions, adversarial ones apart, with at least one evidence turn in the context. */
  hit: number;
  /** Mean share of a question's evidence turns in the context. */
  recall: number;
  /** Mean share of the words of the answer that the question lacks. */
  answerWords: number;
  /** Questions of whose evidence the context holds less than a smaller one. */
  falls: number;
}

const CONTEXT_TOKENS = [500, 1000, 2000];

/** Asks every question through one interface and compares the first ten results with the evidence. */
export async function askQuestions(stored: StoredDialogues, door: Door, strategy = 'auto'): Promise<DialogueFigures> {
  const { url, apiKey } = stored;
  const client = door === 'mcp' ? await connectMcp(url, apiKey) : undefined;
  const search = async (query: string, user: string): Promise<SearchAnswer> => {
    if (!client) return callApi<SearchAnswer>(url, apiKey, '/v1/search', { query, user, limit: 10, strategy });
    const answer = await client.callTool({ name: 'memory_search', arguments: { query, user, limit: 10 } });
    if (answer.isError) throw new Error(`memory_search: ${JSON.stringify(answer.content)}`);
    return answer.structuredContent as unknown as SearchAnswer;
  };
  const asked = await forEachQuestion(stored, `asked by ${door}`, async ({ text, sampleId, category, wanted }) => {
    const { results } = await search(text, sampleId);
    return {
      category,
      evidence: wanted.length,
      recall: recallOf(
        wanted,
        results.map(({ id }) => id),
      ),
    };
  });
  await client?.close();
  return { storedAs: stored.storedAs, door, strategy, questions: recallTable(asked) };
}

/** Records the candidates of every question but the adversarial ones with their explained signals. */
export async function recordPools(stored: StoredDialogues): Promise<RecordedPool[]> {
  const { url, apiKey } = stored;
  const pools = await forEachQuestion(stored, 'pools recorded', async ({ text, sampleId, category, wanted }) => {
    if (!isHeadline(category)) return undefined;
    const body = { query: text, user: sampleId, limit: 100, explain: true };
    const { results } = await callApi<SearchAnswer>(url, apiKey, '/v1/search', body);
    const pool = results.map(({ id, why }) => ({
      id,
      signals: Object.fromEntries(Object.entries(why!.signals).map(([name, { value }]) => [name, value])),
    }));
    const speakers = new Set(pool.some(({ signals }) => signals.speaker !== 0) ? ['named'] : []);
    const bucket = bucketOfQuery(text, parseQuery(text, Date.now()), { ...NO_CANDIDATES, speakers });
    return { bucket, pool, relevant: wanted };
  });
  return pools.filter((pool) => pool !== undefined);
}

/** Measures how much evidence contexts of different sizes hold. */
export async function askContexts(stored: StoredDialogues): Promise<ContextFigure[]> {
  const { url, apiKey } = stored;
  const figures: ContextFigure[] = [];
  let smaller: number[] = [];
  for (const maxTokens of CONTEXT_TOKENS) {
    const held = await forEachQuestion(stored, `contexts of ${maxTokens}`, async (question) => {
      if (!isHeadline(question.category)) return undefined;
      const body = { query: question.text, user: question.sampleId, maxTokens };
      const { text, citations, tokens } = await callApi<ContextAnswer>(url, apiKey, '/v1/context', body);
      if (tokens > maxTokens) throw new Error(`A context of ${tokens} tokens where ${maxTokens} were allowed`);
      const cited = new Set(citations.map(({ id }) => id));
      const share = question.wanted.filter((id) => cited.has(id)).length / question.wanted.length;
      return { share, answerWords: answerWordsIn(text, question) };
    });
    const measured = held.filter((one) => one !== undefined);
    const shares = measured.map(({ share }) => share);
    figures.push({
      maxTokens,
      hit: mean(shares.map((share) => (share > 0 ? 1 : 0))),
      recall: mean(shares),
      answerWords: mean(measured.flatMap(({ answerWords }) => answerWords ?? [])),
      falls: shares.filter((share, index) => share < (smaller[index] ?? 0)).length,
    });
    smaller = shares;
  }
  return figures;
}

/** The share of the answer's words, of those that the question lacks, in a text; `undefined` if there are none. */
function answerWordsIn(text: string, { text: question, answer }: AskedQuestion): number | undefined {
  const stemsOf = (of: string) => new Set(queryTerms(of).map(stemOf));
  const asked = stemsOf(question);
  const wanted = [...stemsOf(answer)].filter((stem) => !asked.has(stem));
  const held = new Set(termsOf(text).map(stemOf));
  return wanted.length === 0 ? undefined : wanted.filter((stem) => held.has(stem)).length / wanted.length;
}

/** What the daemon stated of answers and results, and whether evidence was among them. */
export interface ConfidenceFigures {
  /** Of questions asked of their own dialogue. */
  own: Stated[];
  /** Of the same questions asked of the next dialogue, which does not answer them. */
  foreign: Stated[];
  results: Stated[];
}

/** Asks every question of the dialogue that it is about and of the next one. */
export async function askConfidence(stored: StoredDialogues): Promise<ConfidenceFigures> {
  const { url, apiKey, dialogues } = stored;
  const users = dialogues.map(({ sampleId }) => sampleId);
  const asked = await forEachQuestion(stored, 'confidence', async ({ text, sampleId, category, wanted }) => {
    if (!isHeadline(category)) return undefined;
    const ask = async (user: string) => {
      const { confidence, results } = await callApi<SearchAnswer>(url, apiKey, '/v1/search', { query: text, user });
      const stated = results.map(({ id, relevance }) => ({ probability: relevance, isTrue: wanted.includes(id) }));
      return { answer: { probability: confidence, isTrue: stated.some(({ isTrue }) => isTrue) }, results: stated };
    };
    const next = users[(users.indexOf(sampleId) + 1) % users.length]!;
    return { own: await ask(sampleId), foreign: await ask(next) };
  });
  const all = asked.filter((one) => one !== undefined);
  return {
    own: all.map(({ own }) => own.answer),
    foreign: all.map(({ foreign }) => foreign.answer),
    results: all.flatMap(({ own, foreign }) => [...own.results, ...foreign.results]),
  };
}
