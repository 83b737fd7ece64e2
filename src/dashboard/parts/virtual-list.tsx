import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { density } from '../theme.ts';
import { isTyping } from './typing.ts';
import { visibleRows } from './visible-rows.ts';

/** Heights of a row, in pixels, equal to `--row-height` in the style sheet. */
const ROW_HEIGHT = { dense: 40, comfortable: 60 };

interface VirtualListProps<T> {
  label: string;
  /** Rows loaded so far, from the first. */
  rows: readonly T[];
  /** Number of rows of the whole list. */
  total: number;
  keyOf(row: T): string;
  /** The content of a row: one line, or two where rows are comfortable. */
  renderRow(row: T, isActive: boolean): ComponentChildren;
  /** Loads the rows after the last one, when they come into view. */
  onMore(): void;
  onOpen(row: T): void;
  /** `e`, `x` or another key that was pressed on the active row. */
  onKey?(key: string, row: T): void;
  /** The keyboard moved to another row. */
  onActive?(row: T): void;
  /** A control before the row, outside of the button that opens it. */
  renderLead?(row: T): ComponentChildren;
  /** The key of the row that is active because something outside of the list chose it. It is scrolled into view. */
  activeKey?: string | undefined;
  /** The text of a row that is a heading, which the keyboard skips. */
  headingOf?(row: T): string | undefined;
}

interface Rendered<T> {
  renderRow: VirtualListProps<T>['renderRow'];
  contents: Map<T, { isActive: boolean; content: ComponentChildren }>;
}

/**
 * A list of any length that renders only what is visible. It scrolls with the page. `j` and `k` or the arrow keys move
 * between rows, and Enter opens one.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, rows, total, keyOf, renderRow, onMore, onOpen, onKey, onActive, renderLead, headingOf, activeKey } =
    props;
  const list = useRef<HTMLUListElement>(null);
  const scroll = useSignal({ top: 0, height: 800 });
  const active = useSignal<ActiveRow>({ index: 0, key: undefined });
  const rowHeight = ROW_HEIGHT[density.value];
  const { first, end } = visibleRows({ ...scroll.value, rowHeight, total });

  useEffect(() => watchScroll(list.current!, (position) => (scroll.value = position)), []);
  useEffect(() => {
    if (end > rows.length && rows.length < total) onMore();
  }, [end, rows.length, total]);

  useEffect(() => {
    const index = activeKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === activeKey);
    if (index === -1 || activeKey === active.peek().key) return;
    active.value = { index, key: activeKey };
    showRow(list.current!, index, rowHeight);
  }, [activeKey, rows]);

  const isHeading = (row: T | undefined) => row !== undefined && headingOf?.(row) !== undefined;
  const activate = (index: number, row: T) => {
    const key = keyOf(row);
    if (active.peek().index !== index || active.peek().key !== key) active.value = { index, key };
  };
  const move = (step: number) => {
    const at = placeOf(active.value, rows, keyOf);
    // Where the active row is gone, the row below has moved into its place.
    const gone = Math.min(active.value.index, step > 0 ? rows.length - 1 : rows.length);
    let next = at === -1 ? gone + Math.min(step, 0) : at + step;
    while (isHeading(rows[next])) next += step;
    const row = rows[next];
    if (row === undefined) return;
    activate(next, row);
    onActive?.(row);
    showRow(list.current!, next, rowHeight);
    // A row that just scrolled into view is rendered with the next frame.
    if (!focusRow(list.current!, next)) requestAnimationFrame(() => list.current && focusRow(list.current, next));
  };
  // Before the next key: an effect would run after the frame, and see what this rendering showed.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (!list.current) return;
      const isOnRow = event.target instanceof Element && list.current.contains(event.target);
      if (event.key === 'j' || (isOnRow && event.key === 'ArrowDown')) move(1);
      else if (event.key === 'k' || (isOnRow && event.key === 'ArrowUp')) move(-1);
      else {
        const row = rows[placeOf(active.value, rows, keyOf)];
        const isMeant = isOnRow || event.target === document.body;
        if (!row || !onKey || !isMeant || event.key.length !== 1) return;
        onKey(event.key, row);
        return;
      }
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });

  const shown = rows.slice(first, end);
  // Scrolling renders new rows only: content that is the same object is not compared again.
  const rendered = useRef<Rendered<T>>({ renderRow, contents: new Map() });
  const known = rendered.current.renderRow === renderRow ? rendered.current.contents : undefined;
  const contents: Rendered<T>['contents'] = new Map();
  rendered.current = { renderRow, contents };
  const contentOf = (row: T, isActive: boolean) => {
    const before = known?.get(row);
    const content = before?.isActive === isActive ? before.content : renderRow(row, isActive);
    contents.set(row, { isActive, content });
    return content;
  };
  // One row at a time is reached by Tab; the arrow keys move on from there.
  const top = Math.max(first, Math.ceil(scroll.value.top / rowHeight));
  const activeAt = useMemo(() => placeOf(active.value, rows, keyOf), [active.value, rows]);
  const isActiveShown = activeAt >= first && activeAt < Math.min(end, rows.length);
  const reached = isActiveShown ? activeAt : isHeading(rows[top]) ? top + 1 : top;
  return (
    <ul class="virtual-list" ref={list} aria-label={label} style={{ blockSize: `${total * rowHeight}px` }}>
      {shown.map((row, index) => {
        const at = first + index;
        const heading = headingOf?.(row);
        const place = { transform: `translateY(${at * rowHeight}px)` };
        if (heading !== undefined) {
          return (
            <li key={keyOf(row)} class="row row-heading" style={place}>
              <h3>{heading}</h3>
            </li>
          );
        }
        return (
          <li
            key={keyOf(row)}
            class={`row${at === activeAt ? ' is-active' : ''}`}
            aria-posinset={at + 1}
            aria-setsize={total}
            style={place}
          >
            {renderLead?.(row)}
            <div
              class="row-body"
              role="button"
              tabIndex={at === reached ? 0 : -1}
              data-row={at}
              onFocus={() => activate(at, row)}
              onClick={(event) => !(event.target as Element).closest('button, input, a, label') && onOpen(row)}
              onKeyDown={(event) => event.key === 'Enter' && event.target === event.currentTarget && onOpen(row)}
            >
              {contentOf(row, at === activeAt)}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** The row that is active, and where it was when it became so. */
interface ActiveRow {
  index: number;
  key: string | undefined;
}

/** Where the active row is now; -1 if it is not in the list any more. */
function placeOf<T>({ index, key }: ActiveRow, rows: readonly T[], keyOf: (row: T) => string): number {
  if (key === undefined) return -1;
  const row = rows[index];
  return row !== undefined && keyOf(row) === key ? index : rows.findIndex((one) => keyOf(one) === key);
}

/** Reports the visible part of a list after each frame in which the page scrolled or changed its size. */
function watchScroll(list: HTMLElement, report: (position: { top: number; height: number }) => void): () => void {
  let frame = 0;
  const measure = () => {
    frame = 0;
    report({ top: -list.getBoundingClientRect().top, height: innerHeight });
  };
  const later = () => {
    frame ||= requestAnimationFrame(measure);
  };
  measure();
  addEventListener('scroll', later, { passive: true, capture: true });
  addEventListener('resize', later);
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener('scroll', later, { capture: true });
    removeEventListener('resize', later);
  };
}

/** Moves the focus to a row. Returns false if the row is not rendered. */
function focusRow(list: HTMLElement, index: number): boolean {
  const row = list.querySelector<HTMLElement>(`[data-row="${index}"]`);
  row?.focus({ preventScroll: true });
  return row !== null;
}

/** Scrolls a row into view; it may not be rendered yet. */
function showRow(list: HTMLElement, index: number, rowHeight: number): void {
  const top = list.getBoundingClientRect().top + index * rowHeight;
  const margin = rowHeight * 2;
  if (top < margin * 2) scrollBy({ top: top - margin * 2 });
  else if (top + margin > innerHeight) scrollBy({ top: top + margin - innerHeight });
}
