import { type ForeignItem, skipped } from './foreign-records.ts';
import { clip, oneLine } from './foreign-values.ts';

/** Counts what is left out of an item, to report each kind once. */
export interface Omissions {
  /** `kind` marks its plural, e.g. `image(s)`; `name` identifies the one left out. */
  add(kind: string, name?: string, count?: number): void;
  reasons(place: string): ForeignItem[];
}

const MAX_NAMES = 5;
/** Further kinds are counted together: the file chooses their names. */
const MAX_KINDS = 100;
const OTHER_KINDS = 'other item(s)';

export function createOmissions(): Omissions {
  const counts = new Map<string, { count: number; names: string[] }>();
  return {
    add(requested, name, count = 1) {
      const kind = counts.has(requested) || counts.size < MAX_KINDS ? requested : OTHER_KINDS;
      const entry = counts.get(kind) ?? { count: 0, names: [] };
      entry.count += count;
      if (name !== undefined && entry.names.length < MAX_NAMES) entry.names.push(clip(oneLine(name), 80));
      if (entry.count > 0) counts.set(kind, entry);
    },
    reasons: (place) => [...counts].map(([kind, entry]) => skipped(place, describe(kind, entry))),
  };
}

function describe(kind: string, { count, names }: { count: number; names: string[] }): string {
  const counted = `${count} ${kind.replace('(s)', count === 1 ? '' : 's')} left out`;
  if (names.length === 0) return counted;
  return `${counted}: ${names.join(', ')}${count > names.length ? ', …' : ''}`;
}
