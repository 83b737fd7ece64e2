import type { ComponentChildren } from 'preact';

/** Offers to load a list again that changed elsewhere, where loading it at once would lose its place. */
export function Refresh({
  isStale,
  onRefresh,
  children,
}: {
  isStale: boolean;
  onRefresh: () => void;
  children: ComponentChildren;
}) {
  if (!isStale) return null;
  return (
    <button type="button" class="link hint" onClick={onRefresh}>
      {children}
    </button>
  );
}
