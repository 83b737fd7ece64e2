import { EXPERT_PRIORS } from './experts.ts';
import { type Estimate, LEARNERS } from './learner.ts';
import { QUERY_BUCKETS } from './query-bucket.ts';
import { entriesBelow, indexBelow, solveSymmetric } from './symmetric-matrix.ts';

/** The learned state of one end user. Immutable. */
export interface LearnedState {
  signals: readonly string[];
  /** Number of feedback events. */
  events: number;
  /** Log-probability of each expert. */
  beliefs: Float32Array;
  /** Shifts by learner, for all queries. */
  overall: readonly Estimate[];
  /** Shifts by learner and query bucket, added to `overall`; empty for a learner without bucket-specific shifts. */
  byBucket: readonly (readonly Estimate[])[];
}

/** Raise it when the meaning of the numbers changes: states of unknown versions are discarded. */
const VERSION = 2;
/** Had no couplings. */
const VERSION_WITHOUT_COUPLINGS = 1;

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

/** Upper bound of valid values: with decay, shifts converge below 250, and beliefs are far smaller. */
const MAX_MAGNITUDE = 256;

/** The state before any feedback. */
export function createLearnedState(signals: readonly string[]): LearnedState {
  const estimate = (precision: number, couplings = 0): Estimate => ({
    deltas: new Float32Array(signals.length),
    precisions: new Float32Array(signals.length).fill(precision),
    couplings: new Float32Array(couplings),
  });
  return {
    signals,
    events: 0,
    beliefs: Float32Array.from(EXPERT_PRIORS, Math.log),
    overall: LEARNERS.map(({ priorPrecision }) => estimate(priorPrecision, entriesBelow(signals.length))),
    byBucket: LEARNERS.map(({ bucketPrecision }) =>
      bucketPrecision === undefined ? [] : QUERY_BUCKETS.map(() => estimate(bucketPrecision)),
    ),
  };
}

/** Header of a stored state. */
interface Head {
  version: number;
  signals: string[];
  events: number;
}

/** Encodes as the length of a JSON head, the head, and 32-bit floats. */
export function encodeLearnedState(state: LearnedState): Buffer {
  const head: Head = { version: VERSION, signals: [...state.signals], events: state.events };
  const numbers = [state.beliefs, ...listsOf(state), ...state.overall.map(({ couplings }) => couplings)];
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
  const numbers = Array.from({ length: (bytes.length - start) >> 2 }, (_, at) => bytes.readFloatLE(start + at * 4));
  if (bytes.length !== start + 4 * sizeOf(fresh, head)) return fresh;
  fillState(fresh, head, numbers);
  return isValid(fresh) ? { ...fresh, events: head.events } : createLearnedState(signals);
}

const hasCouplings = ({ version }: Head) => version !== VERSION_WITHOUT_COUPLINGS;

/** How many numbers a state with this head has. */
function sizeOf(state: LearnedState, head: Head): number {
  const width = head.signals.length;
  const couplings = hasCouplings(head) ? state.overall.length * entriesBelow(width) : 0;
  return state.beliefs.length + listsOf(state).length * width + couplings;
}

/** Overwrites the numbers of a fresh state with stored ones, where their signals are still in use. */
function fillState(state: LearnedState, head: Head, numbers: readonly number[]): void {
  const width = head.signals.length;
  const stored = head.signals.map((name) => FORMER_NAMES.get(name) ?? name);
  const columns = state.signals.map((name) => stored.indexOf(name));
  let start = state.beliefs.length;
  state.beliefs.set(numbers.slice(0, start));
  for (const list of listsOf(state)) {
    columns.forEach((column, at) => {
      if (column >= 0) list[at] = numbers[start + column]!;
    });
    start += width;
  }
  if (!hasCouplings(head)) return;
  for (const { couplings } of state.overall) {
    forEachBelow(columns.length, (row, column) => {
      const [low, high] = [columns[row]!, columns[column]!].sort((a, b) => a - b) as [number, number];
      if (low >= 0) couplings[indexBelow(row, column)] = numbers[start + indexBelow(high, low)]!;
    });
    start += entriesBelow(width);
  }
}

function forEachBelow(width: number, visit: (row: number, column: number) => void): void {
  for (let row = 1; row < width; row += 1) {
    for (let column = 0; column < row; column += 1) visit(row, column);
  }
}

/** Whether learning can have produced these values. */
function isValid(state: LearnedState): boolean {
  const isBounded = (value: number) => Math.abs(value) <= MAX_MAGNITUDE;
  const isPositive = (precision: number) => precision > 0 && precision < Number.POSITIVE_INFINITY;
  return (
    state.beliefs.every(isBounded) &&
    [...state.overall, ...state.byBucket.flat()].every(
      ({ deltas, precisions }) => deltas.every(isBounded) && precisions.every(isPositive),
    ) &&
    state.overall.every(
      ({ deltas, precisions, couplings }) =>
        solveSymmetric({ diagonal: precisions, below: couplings }, deltas) !== undefined,
    )
  );
}

/** The numbers of all estimates by signal, in stored order. */
function listsOf({ overall, byBucket }: LearnedState): Float32Array[] {
  return [...overall, ...byBucket.flat()].flatMap(({ deltas, precisions }) => [deltas, precisions]);
}

function headOf(bytes: Buffer): Head | undefined {
  if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16LE()) return undefined;
  try {
    const head: Partial<Head> = JSON.parse(bytes.toString('utf8', 2, 2 + bytes.readUInt16LE()));
    const isComplete =
      [VERSION_WITHOUT_COUPLINGS, VERSION].includes(head.version!) &&
      Array.isArray(head.signals) &&
      Number.isSafeInteger(head.events);
    return isComplete ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}
