import { type Signal, useSignal } from '@preact/signals';

/** Whether a result helped. */
export type Mark = 'used' | 'irrelevant';

/** The marks of a search's results, by id; a result without one is left out. */
export type Marks = Signal<ReadonlyMap<string, Mark>>;

/** No marks yet. */
export function useMarks(): Marks {
  return useSignal<ReadonlyMap<string, Mark>>(new Map());
}

/** Marks a result, or takes the same mark back. */
export function toggleMark(marks: Marks, id: string, mark: Mark): void {
  const changed = new Map(marks.value);
  if (changed.get(id) === mark) changed.delete(id);
  else changed.set(id, mark);
  marks.value = changed;
}

/** The ids with this mark. */
export function idsMarked(marks: Marks, mark: Mark): string[] {
  return [...marks.value].filter(([, one]) => one === mark).map(([id]) => id);
}
