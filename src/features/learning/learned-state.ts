import { EXPERT_PRIORS } from './experts.ts';
import { type Estimate, LEARNERS } from './learner.ts';
import { QUERY_BUCKETS } from './query-bucket.ts';

/** What was learned for one end user. Immutable. */
export interface LearnedState {
  signals: readonly string[];
  /** Number of feedback events. */
  events: number;
  /** Log-probability of each expert. */
  beliefs: Float32Array;
  /** By learner, for all queries. */
  overall: readonly Estimate[];
  /** By learner and query bucket, added to `overall`; empty for a learner without bucket-specific shifts. */
  byBucket: readonly (readonly Estimate[])[];
}

/** Raise it when the meaning of the numbers changes: states of another version are discarded. */
const VERSION = 1;

/** Short names that signals had once: stored states and older exports hold them. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['lex', 'lexical'],
  ['tri', 'trigram'],
  ['win', 'window'],
  ['sess', 'session'],
  ['ctx', 'context'],
  ['spk', 'speaker'],
  ['rec', 'recency'],
  ['cue', 'answerCue'],
  ['vec', 'vector'],
]);

/** Upper bound of valid values: with decay, shifts converge below 125, and beliefs are far smaller. */
const MAX_MAGNITUDE = 128;

/** The state before any feedback. */
export function createLearnedState(signals: readonly string[]): LearnedState {
  const estimate = (precision: number): Estimate => ({
    deltas: new Float32Array(signals.length),
    precisions: new Float32Array(signals.length).fill(precision),
  });
  return {
    signals,
    events: 0,
    beliefs: Float32Array.from(EXPERT_PRIORS, Math.log),
    overall: LEARNERS.map(({ priorPrecision }) => estimate(priorPrecision)),
    byBucket: LEARNERS.map(({ bucketPrecision }) =>
      bucketPrecision === undefined ? [] : QUERY_BUCKETS.map(() => estimate(bucketPrecision)),
    ),
  };
}

interface Head {
  version: number;
  signals: string[];
  events: number;
}

/** Encodes as the length of a JSON head, the head, and 32-bit floats. */
export function encodeLearnedState(state: LearnedState): Buffer {
  const head: Head = { version: VERSION, signals: [...state.signals], events: state.events };
  const numbers = [state.beliefs, ...estimatesOf(state).flatMap(({ deltas, precisions }) => [deltas, precisions])];
  const floats = numbers.flatMap((list) => [...list]);
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.alloc(2 + text.length + floats.length * 4);
  bytes.writeUInt16LE(text.length);
  text.copy(bytes, 2);
  floats.forEach((value, index) => void bytes.writeFloatLE(value, 2 + text.length + index * 4));
  return bytes;
}

/**
 * Decodes a state for the current signals: signals that it lacks start fresh, signals no longer in use are dropped.
 * Returns the initial state for bytes that are damaged or of another version.
 */
export function decodeLearnedState(bytes: Buffer, signals: readonly string[]): LearnedState {
  const fresh = createLearnedState(signals);
  const head = headOf(bytes);
  if (!head) return fresh;
  const start = 2 + bytes.readUInt16LE();
  const width = head.signals.length;
  const targets = estimatesOf(fresh).flatMap(({ deltas, precisions }) => [deltas, precisions]);
  if (bytes.length !== start + 4 * (fresh.beliefs.length + targets.length * width)) return fresh;
  const valueAt = (index: number) => bytes.readFloatLE(start + index * 4);
  fresh.beliefs.forEach((_, index) => {
    fresh.beliefs[index] = valueAt(index);
  });
  const stored = head.signals.map((name) => FORMER_NAMES.get(name) ?? name);
  const columns = signals.map((name) => stored.indexOf(name));
  for (const [row, target] of targets.entries()) {
    for (const [index, column] of columns.entries()) {
      if (column >= 0) target[index] = valueAt(fresh.beliefs.length + row * width + column);
    }
  }
  return isValid(fresh) ? { ...fresh, events: head.events } : createLearnedState(signals);
}

/** Whether learning can have produced these values. */
function isValid(state: LearnedState): boolean {
  const isBounded = (value: number) => Math.abs(value) <= MAX_MAGNITUDE;
  const isPositive = (precision: number) => precision > 0 && precision < Number.POSITIVE_INFINITY;
  return (
    state.beliefs.every(isBounded) &&
    estimatesOf(state).every(({ deltas, precisions }) => deltas.every(isBounded) && precisions.every(isPositive))
  );
}

function estimatesOf({ overall, byBucket }: LearnedState): Estimate[] {
  return [...overall, ...byBucket.flat()];
}

function headOf(bytes: Buffer): Head | undefined {
  if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16LE()) return undefined;
  try {
    const head: Partial<Head> = JSON.parse(bytes.toString('utf8', 2, 2 + bytes.readUInt16LE()));
    const isComplete = head.version === VERSION && Array.isArray(head.signals) && Number.isSafeInteger(head.events);
    return isComplete ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}
