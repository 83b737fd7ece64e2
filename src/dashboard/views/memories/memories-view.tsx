import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { onChanges } from '../../live.ts';
import { usePageList } from '../../parts/page-list.ts';
import { parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { AddPane } from './add-pane.tsx';
import { Facets } from './facets.tsx';
import { FilterChips } from './filter-chips.tsx';
import { listStateOf } from './list-state.ts';
import { forgotten, isOwnChange } from './memory-actions.ts';
import { MemoryHistogram } from './memory-histogram.tsx';
import { MemoryList } from './memory-list.tsx';
import { type ListedMemory, loadMemories } from './memory-pages.ts';
import { MemoryPane } from './memory-pane.tsx';
import { useStats } from './memory-stats.ts';
import { Toolbar } from './toolbar.tsx';

/** Reloading keeps one page: a list that was scrolled further says that it changed instead. */
const RELOADED_ROWS = 100;

/** The memories view: what is known, found by words, filters and time, and corrected in place. */
export function View() {
  const { client } = currentSession();
  const key = JSON.stringify(listStateOf(parameters.value));
  const state = useMemo(() => listStateOf(parameters.value), [key]);
  const list = usePageList<ListedMemory>(key, (cursor, signal) => loadMemories(client, state, cursor, signal));
  const isStale = useSignal(false);
  const reload = () => {
    isStale.value = false;
    list.reload();
  };
  const rowCount = list.rows.length;
  useEffect(
    () =>
      onChanges(['memory'], () => {
        if (rowCount <= RELOADED_ROWS) list.reload();
        else if (!isOwnChange()) isStale.value = true;
      }),
    [rowCount > RELOADED_ROWS],
  );
  const id = parameters.value.get('id') ?? undefined;
  const isAdding = parameters.value.has('add') && may('memory');
  const edit = parameters.value.get('edit');
  const editing = edit === null ? undefined : edit === 'replace' ? 'replace' : 'correct';
  const isOpen = id !== undefined || isAdding;
  const { counts, isCurrent, histogram } = useStats(state);
  const drawer = useRef<HTMLDialogElement>(null);
  const rows = list.rows.filter((row) => !forgotten.value.has(row.id));
  const hidden = rowCount - rows.length;
  // Loading more rows does not render these again.
  const facets = useMemo(
    () => counts && <Facets state={state} stats={counts} hasCounts={isCurrent} />,
    [state, counts, isCurrent],
  );
  const head = useMemo(
    () => (
      <>
        <Toolbar state={state} onFilters={() => drawer.current?.showModal()} />
        <FilterChips state={state} />
        {histogram && state.query === '' && <MemoryHistogram state={state} histogram={histogram} />}
      </>
    ),
    [state, histogram],
  );
  return (
    <div class={`memories${isOpen ? ' has-pane' : ''}`}>
      <aside class="memories-facets" aria-label="Filters">
        {facets}
      </aside>
      <dialog ref={drawer} class="drawer" aria-label="Filters">
        <form method="dialog" class="buttons end">
          <button class="small">Done</button>
        </form>
        {facets}
      </dialog>
      <div class={`with-pane${isOpen ? ' is-open' : ''}`}>
        <div class="stack memories-main">
          {head}
          <MemoryList
            state={state}
            list={{ ...list, rows, total: list.total === undefined ? undefined : list.total - hidden, reload }}
            openId={id}
            supersededCount={counts?.facets.states.superseded ?? 0}
            isStale={isStale.value}
          />
        </div>
        {isAdding && <AddPane onAdded={reload} />}
        {!isAdding && id !== undefined && (
          <MemoryPane
            id={id}
            listed={rows.find((row) => row.id === id)}
            query={state.query}
            asOfMs={state.asOfMs}
            editing={editing}
            onChange={(memory) =>
              list.change((before) => before.map((row) => (row.id === memory.id ? { ...row, ...memory } : row)))
            }
          />
        )}
      </div>
      <Suggestions id="memory-tags" values={counts?.facets.tags} />
      <Suggestions id="memory-projects" values={counts?.facets.projects} />
    </div>
  );
}

/** Values that fields suggest. */
function Suggestions({ id, values = [] }: { id: string; values?: readonly { value: string }[] | undefined }) {
  return (
    <datalist id={id}>
      {values.map(({ value }) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
