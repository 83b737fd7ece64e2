import { parseTimestamp, toTimestamp } from '../../../lib/clock.ts';
import { offsetMs } from './local-time.ts';
import type { ListedMemory } from './memory-pages.ts';

/** A row of the list: a memory, or a heading between groups. */
export type ListRow = { kind: 'memory'; memory: ListedMemory } | { kind: 'heading'; text: string };

/** The time by which the timeline groups a memory: of what it is about, or when it was stored. */
function timelineTime({ occurredAt, createdAt }: ListedMemory): number {
  return parseTimestamp(occurredAt ?? createdAt) ?? 0;
}

/**
 * Puts a heading before the memories of each group. `groupOf` names the group of a memory, and `labelOf` gives its heading;
 * neighbors of the same group share one.
 */
export function withHeadings(
  memories: readonly ListedMemory[],
  groupOf: (memory: ListedMemory) => string,
  labelOf: (group: string) => string,
): ListRow[] {
  const rows: ListRow[] = [];
  let last: string | undefined;
  for (const memory of memories) {
    const group = groupOf(memory);
    if (group !== last) rows.push({ kind: 'heading', text: labelOf(group) });
    last = group;
    rows.push({ kind: 'memory', memory });
  }
  return rows;
}

const UNDATED = 'undated';

/** The first rows decide the unit, so that headings do not change while more rows load. */
const SAMPLED_ROWS = 100;
/** With fewer memories a day than this, the timeline is grouped by month. */
const MIN_PER_DAY = 3;

/** Returns the unit that gives the groups of a timeline a readable size. */
export function timelineUnit(memories: readonly ListedMemory[]): 'day' | 'month' {
  const sample = memories.slice(0, SAMPLED_ROWS).filter(({ occurredAt }) => occurredAt !== null);
  const days = new Set(sample.map((memory) => timelineGroup(memory, 'day')));
  return sample.length >= days.size * MIN_PER_DAY ? 'day' : 'month';
}

/** The days of the memories, because long timelines are grouped again with every page. */
const days = new WeakMap<ListedMemory, string>();

/** The day or month of what a memory is about, in the reader's time zone. Memories without a time form a last group. */
export function timelineGroup(memory: ListedMemory, by: 'day' | 'month'): string {
  if (memory.occurredAt === null) return UNDATED;
  const day = days.get(memory) ?? dayOf(memory);
  days.set(memory, day);
  return by === 'day' ? day : day.slice(0, 7);
}

function dayOf(memory: ListedMemory): string {
  const at = timelineTime(memory);
  return toTimestamp(at - offsetMs(at)).slice(0, 10);
}

/** The heading of a group, in the given formats. */
export function timelineLabel(group: string, format: { day(ms: number): string; month(ms: number): string }): string {
  if (group === UNDATED) return 'Without a time';
  const at = parseTimestamp(`${group.length === 7 ? `${group}-01` : group}T12:00:00Z`) ?? 0;
  return group.length === 7 ? format.month(at) : format.day(at);
}
