import type { JsonLimits } from '../../contract/json-scan.ts';
import { parseJsonInSteps } from '../../contract/storable-steps.ts';
import { concatInSteps } from '../../lib/concat-in-steps.ts';

/** An invalid embedding response; the message continues "it returned". */
export class InvalidVectors extends Error {
  /** Other texts may succeed. */
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
const MAX_VECTORS = 100;
const MAX_OTHER_VALUES = 10_000;

/** What a response with vectors has at most. Few members: the numbers have no names. */
export const VECTOR_JSON: JsonLimits = {
  depth: 16,
  objectMembers: 1000,
  members: MAX_OTHER_VALUES,
  values: MAX_VECTORS * MAX_DIMENSIONS + MAX_OTHER_VALUES,
};

/** Vectors as they came, and how many tokens were counted. */
interface RawVectors {
  rows: number[][];
  tokens: number;
}

/**
 * Parses the vectors of a JSON response, unscaled, in the order of the texts, in steps: 16 MiB of numbers take a tenth of a
 * second. Throws `InvalidVectors`.
 */
export function* readVectors(chunks: readonly Uint8Array[], format: VectorFormat): Generator<void, RawVectors> {
  const json = yield* parseInSteps(yield* concatInSteps(chunks));
  const response = (json ?? {}) as Record<string, unknown>;
  const list = format === 'ollama' ? response.embeddings : response.data;
  if (!Array.isArray(list)) throw new InvalidVectors('no list of vectors');
  if (list.length > MAX_OTHER_VALUES) throw new InvalidVectors('something that is not a vector');
  const rows: unknown[] = format === 'ollama' ? list : inOrder(list as { index?: unknown; embedding?: unknown }[]);
  for (const row of rows) {
    if (!isVector(row)) throw new InvalidVectors('something that is not a vector');
    yield;
  }
  const { total_tokens: total } = (response.usage ?? {}) as { total_tokens?: unknown };
  const tokens = format === 'ollama' ? response.prompt_eval_count : total;
  return { rows: rows as number[][], tokens: Number.isSafeInteger(tokens) ? (tokens as number) : 0 };
}

function* parseInSteps(bytes: Buffer): Generator<void, unknown> {
  try {
    return yield* parseJsonInSteps(bytes);
  } catch {
    throw new InvalidVectors('invalid JSON');
  }
}

function inOrder(list: readonly ({ index?: unknown; embedding?: unknown } | null)[]): unknown[] {
  return list.toSorted((a, b) => Number(a?.index ?? 0) - Number(b?.index ?? 0)).map((entry) => entry?.embedding);
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'number' || part === null);
}

/** Scales vectors to length 1, in steps, and checks their count and dimensions. Throws `InvalidVectors`. */
export function* unitVectors(
  rows: readonly (readonly (number | null)[])[],
  count: number,
): Generator<void, Float32Array[]> {
  if (rows.length !== count) throw new InvalidVectors(`${rows.length} vectors for ${count} texts`);
  const dimensions = rows[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS || rows.some(({ length }) => length !== dimensions)) {
    throw new InvalidVectors('vectors of zero or different lengths');
  }
  const vectors: Float32Array[] = [];
  for (const row of rows) {
    vectors.push(unitVector(row));
    yield;
  }
  return vectors;
}

/** Scales a vector to length 1; `null` is how JSON serializes NaN and infinity. Throws `InvalidVectors`. */
export function unitVector(parts: Iterable<number | null>): Float32Array {
  let squares = 0;
  for (const part of parts) squares += (part ?? Number.NaN) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && length < Number.POSITIVE_INFINITY))
    throw new InvalidVectors('a vector without a direction', true);
  return Float32Array.from(parts, (part) => part! / length);
}
