/** The rows of a list to render for a scroll position, from `first` up to but not including `end`. */
export interface VisibleRows {
  first: number;
  end: number;
}

/** Rows rendered above and below what is visible, so that fast scrolling shows no gaps. */
const MARGIN_ROWS = 12;

/** Returns the rows to render. `top` is how far the list's top edge is above the visible part, in pixels; may be negative. */
export function visibleRows(list: { top: number; height: number; rowHeight: number; total: number }): VisibleRows {
  const { top, height, rowHeight, total } = list;
  const first = Math.floor(top / rowHeight) - MARGIN_ROWS;
  const end = Math.ceil((top + height) / rowHeight) + MARGIN_ROWS;
  const clamp = (row: number) => Math.max(0, Math.min(total, row));
  return { first: clamp(first), end: clamp(end) };
}
