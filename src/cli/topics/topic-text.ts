import type { Topic, TopicDetails, TopicMemory } from '../../contract/topics.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { innerWidth, memoryCard, type RenderOptions } from '../memory/memory-card.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { shortId } from '../memory/short-id.ts';
import { displayWidth, oneLine, padToWidth, truncate, wrap } from '../memory/terminal-text.ts';

/** A name takes at most this many columns of a table. */
const MAX_NAME = 40;
/** Memories of each list that are shown; JSON has all of them. */
const SHOWN = 20;

/** A table of topics: name, memories, last mention, other names. */
export function topicTable(topics: readonly Topic[], { columns, style, nowMs }: RenderOptions): string {
  const rows = topics.map(({ name, memoryCount, lastAt, aliases }) => ({
    name: truncate(oneLine(name), Math.min(MAX_NAME, Math.max(12, columns - 30))),
    count: memoriesText(memoryCount),
    last: timeText(lastAt, nowMs),
    also: aliases.map(oneLine).join(', '),
  }));
  const widthOf = (field: 'name' | 'count' | 'last') => Math.max(...rows.map((row) => displayWidth(row[field])));
  const widths = { name: widthOf('name'), count: widthOf('count'), last: widthOf('last') };
  const lines = rows.map(({ name, count, last, also }) => {
    const facts = `${' '.repeat(widths.count - count.length)}${count}  ${padToWidth(last, widths.last)}`;
    const left = columns - widths.name - widths.count - widths.last - 6;
    const others = also === '' || left < 12 ? '' : `  ${style.dim(truncate(also, left))}`;
    return `${style.bold(padToWidth(name, widths.name))}  ${facts}${others}`.trimEnd();
  });
  return lines.join('\n');
}

/** A topic as a line for programs: id, memories, last mention, name, other names. */
export function topicRow({ id, memoryCount, lastAt, name, aliases }: Topic): string {
  return [id, memoryCount, lastAt ?? '', oneLine(name), aliases.map(oneLine).join(', ')].join('\t');
}

/** A topic with what holds, what was before and related topics. */
export function topicPage(topic: TopicDetails, look: RenderOptions): string {
  const { columns, style, nowMs } = look;
  const { id, name, aliases, memoryCount, lastAt, hidden, now, before, related } = topic;
  const last = lastAt === null ? '' : `, the last ${timeText(lastAt, nowMs)}`;
  const head = [
    style.bold(oneLine(name)),
    ...(aliases.length > 0 ? wrap(`also ${aliases.map(oneLine).join(', ')}`, columns) : []),
    style.dim(`${memoriesText(memoryCount)}${last}${hidden ? ', hidden' : ''}`),
    style.dim(id),
  ].join('\n');
  const relatedText = related.map((one) => `${oneLine(one.name)} (${one.memoryCount})`).join(', ');
  return [
    head,
    section('Now', now.length === 0 ? ['  Nothing that is stored about it holds any more.'] : cardsOf(now, look), look),
    ...(before.length === 0 ? [] : [section('Before', cardsOf(before, look), look)]),
    ...(related.length === 0 ? [] : [section('Related', wrap(relatedText, columns - 2).map(indented), look)]),
  ].join('\n\n');
}

/** The memories of a topic as lines for programs: `now` or `before`, id, time, valid until, replaced by, content. */
export function topicMemoryRows({ now, before }: TopicDetails): string[] {
  const rowOf = (kind: string) => (memory: TopicMemory) => {
    const { id, occurredAt, createdAt, validTo, content } = memory;
    return [kind, id, occurredAt ?? createdAt, validTo ?? '', newerOf(memory) ?? '', oneLine(content)].join('\t');
  };
  return [...now.map(rowOf('now')), ...before.map(rowOf('before'))];
}

/** The ids of the memories that a page shows. */
export function shownMemories({ now, before }: TopicDetails): string[] {
  return [...now.slice(0, SHOWN), ...before.slice(0, SHOWN)].map(({ id }) => id);
}

/** A topic after a change, in one line. */
export function topicLine({ name, aliases, memoryCount, hidden }: Topic): string {
  const also = aliases.length === 0 ? '' : `, also ${aliases.map(oneLine).join(', ')}`;
  return `${oneLine(name)}${also}: ${memoriesText(memoryCount)}${hidden ? ', hidden' : ''}`;
}

function section(title: string, lines: readonly string[], { style }: RenderOptions): string {
  return [style.bold(title), ...lines].join('\n');
}

function cardsOf(memories: readonly TopicMemory[], look: RenderOptions): string[] {
  const cards = memories.slice(0, SHOWN).map((memory) => {
    const label = shortId(memory.id);
    const change = changeText(memory, look.nowMs);
    const more = change === undefined ? [] : wrap(change, innerWidth(look.columns, label)).map(look.style.dim);
    return memoryCard({ ...memory, validTo: null }, { label, maxLines: 3, more }, look);
  });
  const left = memories.length - cards.length;
  return left > 0 ? [...cards, look.style.dim(`${left} more: --json`)] : cards;
}

/** When a memory ceased to hold, and what took its place. */
function changeText(memory: TopicMemory, nowMs: number): string | undefined {
  const { validTo, supersededBy, possiblySupersededBy } = memory;
  if (validTo !== null) {
    const by = supersededBy === null ? '' : `, replaced by ${shortId(supersededBy)}`;
    return `until ${timeText(validTo, nowMs)}${by}`;
  }
  return possiblySupersededBy && `may be out of date: ${shortId(possiblySupersededBy)} is newer (svc review)`;
}

function newerOf({ supersededBy, possiblySupersededBy }: TopicMemory): string | undefined {
  return supersededBy ?? possiblySupersededBy;
}

function memoriesText(count: number): string {
  return count === 1 ? '1 memory' : `${count} memories`;
}

function timeText(timestamp: string | null, nowMs: number): string {
  const at = timestamp === null ? undefined : parseTimestamp(timestamp);
  return at === undefined ? '' : formatRelativeTime(at, nowMs);
}

function indented(line: string): string {
  return `  ${line}`;
}
