import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatCount, formatMonth, formatWeekday } from '../../format.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import type { PageList } from '../../parts/page-list.ts';
import { Refresh } from '../../parts/refresh.tsx';
import { canCopy, copyToSpace } from '../../parts/space-copy.tsx';
import { isTyping } from '../../parts/typing.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { changeParameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { areOwnersShown } from '../../users.ts';
import { BulkBar } from './bulk-bar.tsx';
import { filterOf, isByChange, isFiltered, isWindowed, type ListState } from './list-state.ts';
import {
  changeMany,
  describeForgotten,
  forgetConversations,
  forgetMany,
  forgetMemories,
  MAX_UNDOABLE,
  MAX_UNDOABLE_CONVERSATIONS,
  reportFailure,
} from './memory-actions.ts';
import { changed } from './memory-changes.ts';
import type { ListedMemory } from './memory-pages.ts';
import { MemoryRow } from './memory-row.tsx';
import { NoMemories } from './no-memories.tsx';
import { useProjectConversations } from './project-conversations.ts';
import { extended, isNothing, isSelected, NOTHING, type Selection, toggled } from './selection.ts';
import { type ListRow, timelineGroup, timelineLabel, timelineUnit, withHeadings } from './timeline.ts';
import { ListOptions } from './toolbar.tsx';

/** Rows beyond the loaded ones for which the list makes room, so that scrolling loads a page at a time. */
const ROOM_ROWS = 60;

interface MemoryListProps {
  state: ListState;
  list: PageList<ListedMemory>;
  openId: string | undefined;
  /** How many superseded memories pass the filters. */
  supersededCount: number;
  /** Memories changed since a long list was loaded. */
  isStale: boolean;
}

/** The rows, what is selected of them, and what can be done with the selection. */
export function MemoryList({ state, list, openId, supersededCount, isStale }: MemoryListProps) {
  const { client } = currentSession();
  const selection = useSignal<Selection>(NOTHING);
  const key = JSON.stringify(state);
  useEffect(() => {
    selection.value = NOTHING;
  }, [key]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTyping(event.target) && openId === undefined) selection.value = NOTHING;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [openId]);

  const { rows, total, error, isLoading, loadMore, reload } = list;
  const ids = rows.map(({ id }) => id);
  const chosen = selection.value;
  const isComplete = total !== undefined && rows.length >= total;
  const selected = rows.filter(({ id }) => isSelected(chosen, id));
  const count = chosen.kind === 'all' ? (total ?? rows.length) : selected.length;
  const areAllSelected = chosen.kind === 'all' || (selected.length > 0 && selected.length === rows.length);
  const conversations = useProjectConversations(state, areAllSelected && (chosen.kind === 'all' || isComplete));
  // The filter may match rows that are not loaded yet: use it, unless it matches rows that the list does not show.
  const isByFilter = !isComplete && !isWindowed(state);
  const selectAll = () => {
    const likely = rows.filter(({ found }) => found?.isLikely !== false).map(({ id }) => id);
    selection.value = isByFilter ? { kind: 'all' } : { kind: 'ids', ids: new Set(likely), anchor: undefined };
  };
  // The API refuses a filter without a condition, so that nothing is matched by mistake.
  const wholeList = { includeSuperseded: false, ...filterOf(state) };
  const select = (id: string, isRange: boolean) => {
    selection.value = (isRange ? extended : toggled)(selection.peek(), id, ids);
  };
  const forget = async () => {
    const chosenIds = selected.map(({ id }) => id);
    const conversationIds = conversations?.areChosen.peek() ? conversations.ids : [];
    const isUndoable = chosenIds.length <= MAX_UNDOABLE && conversationIds.length <= MAX_UNDOABLE_CONVERSATIONS;
    if (chosen.kind === 'ids' && isUndoable) forgetMemories(client, chosenIds, conversationIds);
    else {
      const text = `This erases ${describeForgotten(count, conversationIds.length)}, with all versions and messages. It cannot be undone.`;
      const isEverything = chosen.kind === 'all' && !isFiltered(state);
      const typed = isEverything ? { typed: 'forget' } : {};
      if (!(await confirm({ title: 'Forget all of them?', text, yes: 'Forget', ...typed }))) return;
      reportFailure(async () => {
        await forgetMany(client, chosen.kind === 'ids' ? { ids: chosenIds } : { filter: wholeList });
        await forgetConversations(client, conversationIds);
        reload();
      });
    }
    selection.value = NOTHING;
  };

  const idsToCopy = async () => {
    if (chosen.kind === 'ids') return selected.map(({ id }) => id);
    const all: string[] = [];
    for await (const { id } of client.memories.list({ ...wholeList, limit: 200 })) all.push(id);
    return all;
  };

  const listRows = rowsOf(state, rows);
  const more = isComplete ? 0 : ROOM_ROWS;
  if (rows.length === 0 && isLoading) return <Loading label="Loading memories" rows={12} />;
  return (
    <>
      <h2 class="unseen">{state.query === '' ? 'All memories' : 'Results'}</h2>
      {error !== undefined && (
        <div class="memories-failure">
          <Failure error={error} onRetry={list.retry} />
        </div>
      )}
      {isNothing(chosen) ? (
        <div class="bar memories-status">
          {may('memory') && (
            <input
              type="checkbox"
              class="row-check"
              aria-label="Select all"
              disabled={rows.length === 0}
              checked={false}
              onChange={selectAll}
            />
          )}
          <p class="hint" role="status">
            {describeTotal(state, rows.length, total, isComplete)}
          </p>
          <Refresh isStale={isStale} onRefresh={reload}>
            Memories changed. Refresh
          </Refresh>
          <ListOptions state={state} />
        </div>
      ) : (
        <BulkBar
          count={count}
          isAll={areAllSelected}
          hiddenCount={state.show === 'all' || isWindowed(state) ? 0 : supersededCount}
          conversations={conversations}
          onSelectAll={selectAll}
          onClear={() => (selection.value = NOTHING)}
          onCopy={canCopy() ? () => copyToSpace({ count, ids: idsToCopy }) : undefined}
          onForget={() => void forget()}
          onChange={async (change) => {
            const target = chosen.kind === 'ids' ? { memories: selected } : { filter: wholeList };
            await changeMany(client, target, change, reload);
            list.change((before) => before.map((row) => (isSelected(chosen, row.id) ? changed(row, change) : row)));
          }}
        />
      )}
      {rows.length === 0 && error === undefined && <NoMemories state={state} />}
      {rows.length > 0 && (
        <VirtualList<ListRow>
          label="Memories"
          rows={listRows}
          total={listRows.length + more}
          keyOf={(row) => (row.kind === 'memory' ? row.memory.id : `heading ${row.text}`)}
          headingOf={(row) => (row.kind === 'heading' ? row.text : undefined)}
          onMore={loadMore}
          onOpen={(row) =>
            row.kind === 'memory' && changeParameters({ id: row.memory.id, add: undefined, edit: undefined })
          }
          onActive={(row) => {
            if (row.kind === 'memory' && openId !== undefined)
              changeParameters({ id: row.memory.id, edit: undefined }, 'replace');
          }}
          onKey={(pressed, row) => {
            if (row.kind !== 'memory' || !may('memory')) return;
            if (pressed === 'x' || pressed === 'X') select(row.memory.id, pressed === 'X');
            else if (pressed === 'e') changeParameters({ id: row.memory.id, edit: '1' });
          }}
          renderLead={(row) =>
            row.kind === 'memory' &&
            may('memory') && (
              <input
                type="checkbox"
                class={`row-check${isNothing(chosen) ? '' : ' is-kept'}`}
                tabIndex={-1}
                aria-label={`Select: ${row.memory.content.slice(0, 60)}`}
                checked={isSelected(chosen, row.memory.id)}
                onClick={(event) => select(row.memory.id, event.shiftKey)}
              />
            )
          }
          renderRow={(row) =>
            row.kind === 'memory' && (
              <MemoryRow
                memory={row.memory}
                query={state.query}
                time={timeOf(state)}
                showsUser={areOwnersShown.value}
              />
            )
          }
        />
      )}
    </>
  );
}

/** The rows with headings: by month in the timeline, and before unlikely matches of a search. */
function rowsOf(state: ListState, memories: readonly ListedMemory[]): ListRow[] {
  if (state.query !== '') {
    const isAllLikely = memories.every(({ found }) => found?.isLikely !== false);
    if (!isAllLikely) {
      return withHeadings(
        memories,
        ({ found }) => (found?.isLikely === false ? 'Less likely' : 'Best matches'),
        (group) => group,
      );
    }
  } else if (state.layout === 'timeline') {
    const unit = timelineUnit(memories);
    return withHeadings(
      memories,
      (memory) => timelineGroup(memory, unit),
      (group) => timelineLabel(group, { day: formatWeekday, month: formatMonth }),
    );
  }
  return memories.map((memory) => ({ kind: 'memory', memory }));
}

/** The date of a row: like that of the histogram, unless the list is of changes. */
function timeOf(state: ListState): 'occurredAt' | 'updatedAt' {
  return isByChange(state) ? 'updatedAt' : 'occurredAt';
}

function describeTotal(state: ListState, loaded: number, total: number | undefined, isComplete: boolean): string {
  const isSearch = state.query !== '';
  if (isSearch) return loaded === 0 ? 'Nothing found' : `${formatCount(loaded, 'match', 'matches')}, best first`;
  const isCounted = total !== undefined && (isComplete || total > loaded + 1);
  const count = formatCount(isCounted ? total : loaded, 'memory', 'memories');
  return `${count}${isCounted ? '' : ' so far'}, by date of ${timeOf(state) === 'updatedAt' ? 'their last change' : 'what they tell'}`;
}
