import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { segmentTurns, type Turn } from '../src/features/episodes/topic-segmentation.ts';
import { finish } from '../src/lib/time-slices.ts';

/**
 * Measures conversation segmentation with session markers and timestamps removed: Pk (Beeferman et al. 1999) and WindowDiff
 * (Pevzner & Hearst 2002) against the true sessions, beside a split into equally many equal parts. Lower is better.
 *
 *   node --import tsx bench/episodes.ts --data FILE
 */

interface Sample {
  conversation: Record<string, unknown>;
}

interface Dialogue {
  turns: Turn[];
  /** Indices of each session's first turn. */
  truth: number[];
}

type Figures = Record<'pk' | 'windowDiff' | 'equalPk' | 'equalWindowDiff' | 'cutsPerSession', number>;

function dialogueOf({ conversation }: Sample): Dialogue {
  const sessions = Object.keys(conversation)
    .filter((name) => /^session_\d+$/.test(name) && Array.isArray(conversation[name]))
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)));
  const turns: Turn[] = [];
  const truth: number[] = [];
  for (const name of sessions) {
    truth.push(turns.length);
    const messages = conversation[name] as { text: string }[];
    turns.push(...messages.map(({ text }) => ({ content: text, createdAtMs: 0 })));
  }
  return { turns, truth };
}

/** Running count of segments that have started by each turn. */
function segmentsUpTo(starts: readonly number[], length: number): number[] {
  const counts = new Array<number>(length).fill(0);
  for (const start of starts) if (start < length) counts[start] = counts[start]! + 1;
  for (let index = 1; index < length; index += 1) counts[index] = counts[index]! + counts[index - 1]!;
  return counts;
}

/** The share of windows in which `differ` reports a mismatch between `cuts` and the true sessions. */
function errorRate(
  { turns, truth }: Dialogue,
  cuts: readonly number[],
  differ: (boundaries: number, found: number) => boolean,
): number {
  const window = Math.round(turns.length / truth.length / 2);
  const [expected, actual] = [segmentsUpTo(truth, turns.length), segmentsUpTo(cuts, turns.length)];
  let errors = 0;
  for (let index = 0; index + window < turns.length; index += 1) {
    const boundaries = expected[index + window]! - expected[index]!;
    if (differ(boundaries, actual[index + window]! - actual[index]!)) errors += 1;
  }
  return errors / (turns.length - window);
}

function figuresOf(dialogue: Dialogue): Figures {
  const { turns, truth } = dialogue;
  const cuts = finish(segmentTurns(turns));
  const equal = truth.map((_, index) => Math.round((index * turns.length) / truth.length));
  const pk = (found: readonly number[]) => errorRate(dialogue, found, (a, b) => a > 0 !== b > 0);
  const windowDiff = (found: readonly number[]) => errorRate(dialogue, found, (a, b) => a !== b);
  return {
    pk: pk(cuts),
    windowDiff: windowDiff(cuts),
    equalPk: pk(equal),
    equalWindowDiff: windowDiff(equal),
    cutsPerSession: cuts.length / truth.length,
  };
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Missing option: --data FILE');
const samples = JSON.parse(await readFile(values.data, 'utf8')) as Sample[];
const each = samples.map((sample) => figuresOf(dialogueOf(sample)));
for (const name of Object.keys(each[0]!) as (keyof Figures)[]) {
  const mean = each.reduce((sum, figures) => sum + figures[name], 0) / each.length;
  console.log(`${name.padEnd(16)} ${mean.toFixed(3)}`);
}
