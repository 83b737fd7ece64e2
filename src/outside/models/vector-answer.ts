import { parsedJson } from '../parsed-json.ts';

/** What came is no answer to what was asked; the message goes on after "it answers with". */
export class WrongAnswer extends Error {
  /** Other texts may be answered rightly. */
  readonly maybeTexts: boolean;

  constructor(message: string, maybeTexts = false) {
    super(message);
    this.name = 'WrongAnswer';
    this.maybeTexts = maybeTexts;
  }
}

/** `openai`: `{ data: [{ index, embedding }] }`; `ollama`: `{ embeddings: [[…]] }`. */
export type VectorFormat = 'openai' | 'ollama';

const MAX_DIMENSIONS = 8192;

/** The vectors that an answer in JSON holds, as they came, in the order of the texts. Throws `WrongAnswer`. */
export function readVectors(text: string, format: VectorFormat): { rows: number[][]; tokens: number } {
  const json = parsedJson(text);
  if (json === undefined) throw new WrongAnswer('no JSON');
  const answer = (json ?? {}) as Record<string, unknown>;
  const list = format === 'ollama' ? answer.embeddings : answer.data;
  if (!Array.isArray(list)) throw new WrongAnswer('no list of vectors');
  const rows: unknown[] = format === 'ollama' ? list : inOrder(list as { index?: unknown; embedding?: unknown }[]);
  if (!rows.every(isVector)) throw new WrongAnswer('something that is no vector');
  const { total_tokens: total } = (answer.usage ?? {}) as { total_tokens?: unknown };
  const tokens = format === 'ollama' ? answer.prompt_eval_count : total;
  return { rows, tokens: Number.isSafeInteger(tokens) ? (tokens as number) : 0 };
}

function inOrder(list: readonly ({ index?: unknown; embedding?: unknown } | null)[]): unknown[] {
  return list.toSorted((a, b) => Number(a?.index ?? 0) - Number(b?.index ?? 0)).map((entry) => entry?.embedding);
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'number' || part === null);
}

/** As many vectors of length 1, all of one number of dimensions. Throws `WrongAnswer`. */
export function unitVectors(rows: readonly (readonly (number | null)[])[], count: number): Float32Array[] {
  if (rows.length !== count) throw new WrongAnswer(`${rows.length} vectors for ${count} texts`);
  const dimensions = rows[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS || rows.some(({ length }) => length !== dimensions)) {
    throw new WrongAnswer('vectors of no or of different lengths');
  }
  return rows.map(unitVector);
}

/** The vector at length 1; `null` is how JSON writes what is not a number. Throws `WrongAnswer`. */
export function unitVector(parts: Iterable<number | null>): Float32Array {
  let squares = 0;
  for (const part of parts) squares += (part ?? Number.NaN) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) throw new WrongAnswer('a vector without direction', true);
  return Float32Array.from(parts, (part) => part! / length);
}
