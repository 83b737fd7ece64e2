/** The selected memories: some by id, or everything that the list's filter matches. */
export type Selection = { kind: 'ids'; ids: ReadonlySet<string>; anchor: string | undefined } | { kind: 'all' };

export const NOTHING: Selection = { kind: 'ids', ids: new Set(), anchor: undefined };

/** Selects or deselects a memory. From everything, it leaves the loaded memories but this one. */
export function toggled(selection: Selection, id: string, loaded: readonly string[]): Selection {
  const ids = new Set(selection.kind === 'all' ? loaded : selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { kind: 'ids', ids, anchor: id };
}

/** Selects everything between the memory that was toggled last and this one. */
export function extended(selection: Selection, id: string, loaded: readonly string[]): Selection {
  if (selection.kind === 'all') return selection;
  const from = selection.anchor === undefined ? -1 : loaded.indexOf(selection.anchor);
  const to = loaded.indexOf(id);
  if (from === -1 || to === -1) return toggled(selection, id, loaded);
  const between = loaded.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { kind: 'ids', ids: new Set([...selection.ids, ...between]), anchor: id };
}

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' || selection.ids.has(id);
}

/** Whether nothing is selected. */
export function isNothing(selection: Selection): boolean {
  return selection.kind === 'ids' && selection.ids.size === 0;
}
