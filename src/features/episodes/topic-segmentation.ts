import { STOP_WORDS } from '../text/stop-words.ts';
import { termsOf } from '../text/terms.ts';

/** The parts of a message that segmentation uses. */
export interface Turn {
  content: string;
  createdAtMs: number;
}

/** A pause of at least this length always ends an episode. */
const GAP_MS = 2 * 3_600_000;
/** Turns on each side of a gap whose words are compared. */
const BLOCK_TURNS = 8;
const MIN_TURNS = 8;
/** A boundary's depth must exceed the mean by this many standard deviations (Hearst's liberal cut-off is −½). */
const CUTOFF_DEVIATIONS = 1;
/** Depth that a greeting or a farewell adds to a gap. */
const CUE_DEPTH = 1.2;

const OPENING = /^\s*(?:hey|hi|hello|good (?:morning|afternoon|evening)|greetings|long time no)\b/i;
const PARTING =
  /\b(?:bye|goodbye|see (?:you|ya)|talk (?:to you )?(?:soon|later)|take care|catch (?:you|up) (?:later|soon)|good ?night|have a (?:good|great|nice))\b/i;

/**
 * Finds the indices of the turns that begin an episode, starting with 0. A long pause always ends an episode. Between
 * pauses TextTiling (Hearst 1997) splits where the words before and after a gap are least similar; greetings and
 * farewells count as cue phrases (Beeferman et al. 1999). Uses no model; linear in the turns. On five written dialogues
 * with the session marks removed: Pk .065 and WindowDiff .067, against .447 for equal parts and .43 without cue phrases,
 * so dialogues without greetings are cut mostly at pauses (`bench/episodes.ts`).
 */
export function* segmentTurns(turns: readonly Turn[]): Generator<void, number[]> {
  const starts: number[] = [];
  let from = 0;
  for (let index = 1; index <= turns.length; index += 1) {
    const pause = index === turns.length || turns[index]!.createdAtMs - turns[index - 1]!.createdAtMs >= GAP_MS;
    if (!pause) continue;
    const tiles = yield* tileTurns(turns.slice(from, index));
    starts.push(...tiles.map((start) => start + from));
    from = index;
  }
  return starts;
}

function* tileTurns(turns: readonly Turn[]): Generator<void, number[]> {
  if (turns.length < 2 * MIN_TURNS) return [0];
  const bags: string[][] = [];
  for (const { content } of turns) {
    bags.push(termsOf(content).filter((term) => !STOP_WORDS.has(term)));
    yield;
  }
  const cohesion: number[] = [];
  for (let start = 1; start < turns.length; start += 1) {
    cohesion.push(cohesionAt(bags, start));
    yield;
  }
  const depths = cohesion.map((_, gap) => depthAt(cohesion, gap) + CUE_DEPTH * cueAt(turns, gap + 1));
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / depths.length;
  const deviation = Math.sqrt(depths.reduce((sum, depth) => sum + (depth - mean) ** 2, 0) / depths.length);
  const order = depths
    .map((depth, gap) => ({ depth, start: gap + 1 }))
    .sort((a, b) => b.depth - a.depth || a.start - b.start);
  const starts = [0];
  for (const { depth, start } of order) {
    if (depth <= mean + CUTOFF_DEVIATIONS * deviation) break;
    const far = [...starts, turns.length].every((other) => Math.abs(other - start) >= MIN_TURNS);
    if (far) starts.push(start);
  }
  return starts.sort((a, b) => a - b);
}

function cueAt(turns: readonly Turn[], start: number): number {
  const opens = OPENING.test(turns[start]!.content) ? 1 : 0;
  const parts = PARTING.test(turns[start - 1]!.content) ? 0.5 : 0;
  return opens + parts;
}

function cohesionAt(bags: readonly string[][], start: number): number {
  const before = countWords(bags.slice(Math.max(0, start - BLOCK_TURNS), start));
  const after = countWords(bags.slice(start, start + BLOCK_TURNS));
  let shared = 0;
  for (const [word, count] of before) shared += count * (after.get(word) ?? 0);
  const norm = Math.sqrt(squares(before) * squares(after));
  return norm === 0 ? 0 : shared / norm;
}

function countWords(bags: readonly string[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of bags.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function squares(counts: Map<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count * count;
  return sum;
}

/** Returns how far the similarity rises on both sides of a valley. */
function depthAt(cohesion: readonly number[], gap: number): number {
  let left = gap;
  while (left > 0 && cohesion[left - 1]! >= cohesion[left]!) left -= 1;
  let right = gap;
  while (right < cohesion.length - 1 && cohesion[right + 1]! >= cohesion[right]!) right += 1;
  return cohesion[left]! + cohesion[right]! - 2 * cohesion[gap]!;
}
