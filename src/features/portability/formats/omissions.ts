import { type RecordRead, remark } from './foreign-records.ts';
import { clip, oneLine } from './foreign-values.ts';

/** Counts what of a thing is left out, to be said once a kind. */
export interface Omissions {
  /** `kind` marks its plural, e.g. `image(s)`; `name` is what the one left out is called. */
  add(kind: string, name?: string, count?: number): void;
  reasons(place: string): RecordRead[];
}

const NAMES_SHOWN = 5;
/** What a file calls its kinds is up to the file: beyond so many they are counted together. */
const MAX_KINDS = 100;
const OTHER_KINDS = 'other thing(s)';

/** Nothing left out yet. */
export function createOmissions(): Omissions {
  const counts = new Map<string, { count: number; names: string[] }>();
  return {
    add(given, name, count = 1) {
      const kind = counts.has(given) || counts.size < MAX_KINDS ? given : OTHER_KINDS;
      const known = counts.get(kind) ?? { count: 0, names: [] };
      known.count += count;
      if (name !== undefined && known.names.length < NAMES_SHOWN) known.names.push(clip(oneLine(name), 80));
      if (known.count > 0) counts.set(kind, known);
    },
    reasons: (place) => [...counts].map(([kind, known]) => remark(place, sentence(kind, known))),
  };
}

function sentence(kind: string, { count, names }: { count: number; names: string[] }): string {
  const counted = `${count} ${kind.replace('(s)', count === 1 ? '' : 's')} left out`;
  if (names.length === 0) return counted;
  return `${counted}: ${names.join(', ')}${count > names.length ? ', …' : ''}`;
}
