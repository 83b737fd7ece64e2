import { parseJson } from '../parse-json.ts';

/** What came is no answer to what was asked; the message goes on after "it answers with". */
export class InvalidVectors extends Error {
  /** Other texts may be answered rightly. */
  readonly maybeTexts: boolean;

  constructor(message: string, maybeTexts = false) {
    super(message);
    this.name = 'InvalidVectors';
    this.maybeTexts = maybeTexts;
  }
}

/** `openai`: `{ data: [{ index, embedding }] }`; `ollama`: `{ embeddings: [[…]] }`. */
export type VectorFormat = 'openai' | 'ollama';

const MAX_DIMENSIONS = 8192;

/** The vectors that an answer in JSON holds, as they came, in the order of the texts. Throws `InvalidVectors`. */
export function readVectors(text: string, format: VectorFormat): { rows: number[][]; tokens: number } {
  const json = parseJson(text);
  if (json === undefined) throw new InvalidVectors('no JSON');
  const response = (json ?? {}) as Record<string, unknown>;
  const list = format === 'ollama' ? response.embeddings : response.data;
  if (!Array.isArray(list)) throw new InvalidVectors('no list of vectors');
  const rows: unknown[] = format === 'ollama' ? list : inOrder(list as { index?: unknown; embedding?: unknown }[]);
  if (!rows.every(isVector)) throw new InvalidVectors('something that is no vector');
  const { total_tokens: total } = (response.usage ?? {}) as { total_tokens?: unknown };
  const tokens = format === 'ollama' ? response.prompt_eval_count : total;
  return { rows, tokens: Number.isSafeInteger(tokens) ? (tokens as number) : 0 };
}

function inOrder(list: readonly ({ index?: unknown; embedding?: unknown } | null)[]): unknown[] {
  return list.toSorted((a, b) => Number(a?.index ?? 0) - Number(b?.index ?? 0)).map((entry) => entry?.embedding);
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'number' || part === null);
}

/** As many vectors of length 1, all of one number of dimensions. Throws `InvalidVectors`. */
export function unitVectors(rows: readonly (readonly (number | null)[])[], count: number): Float32Array[] {
  if (rows.length !== count) throw new InvalidVectors(`${rows.length} vectors for ${count} texts`);
  const dimensions = rows[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS || rows.some(({ length }) => length !== dimensions)) {
    throw new InvalidVectors('vectors of no or of different lengths');
  }
  return rows.map(unitVector);
}

/** The vector at length 1; `null` is how JSON writes what is not a number. Throws `InvalidVectors`. */
export function unitVector(parts: Iterable<number | null>): Float32Array {
  let squares = 0;
  for (const part of parts) squares += (part ?? Number.NaN) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) throw new InvalidVectors('a vector without direction', true);
  return Float32Array.from(parts, (part) => part! / length);
}
