import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onChanges } from '../../live.ts';
import { usePageList } from '../../parts/page-list.ts';
import { parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { AddPane } from './add-pane.tsx';
import { listStateOf } from './list-state.ts';
import { forgotten, isOwnChange } from './memory-actions.ts';
import { MemoryList } from './memory-list.tsx';
import { type ListedMemory, loadMemories } from './memory-pages.ts';
import { MemoryPane } from './memory-pane.tsx';
import { Toolbar } from './toolbar.tsx';

/** Reloading keeps one page: a list that was scrolled further says that it changed instead. */
const RELOADED_ROWS = 100;

/** The memories view: what is known, found by words, filters and time, and corrected in place. */
export function View() {
  const { client } = currentSession();
  const state = listStateOf(parameters.value);
  const list = usePageList<ListedMemory>(JSON.stringify(state), (cursor, signal) =>
    loadMemories(client, state, cursor, signal),
  );
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
  const isAdding = parameters.value.has('add');
  const rows = list.rows.filter((row) => !forgotten.value.has(row.id));
  const hidden = rowCount - rows.length;
  return (
    <div class="memories">
      <div class={`with-pane${id !== undefined || isAdding ? ' is-open' : ''}`}>
        <div class="stack memories-main">
          <Toolbar state={state} onFilters={() => undefined} />
          <MemoryList
            state={state}
            list={{ ...list, rows, total: list.total === undefined ? undefined : list.total - hidden, reload }}
            openId={id}
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
            isEditing={parameters.value.has('edit')}
            onChange={(memory) =>
              list.change((before) => before.map((row) => (row.id === memory.id ? { ...row, ...memory } : row)))
            }
          />
        )}
      </div>
    </div>
  );
}
