import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { MemoryStats } from '../../../client/client.ts';
import { EXPIRES_SOON_DAYS, type Expiry } from '../../../contract/memory-filters.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { formatBriefDay, formatBriefMonth, formatCount, formatMoment } from '../../format.ts';
import { announce, onChanges } from '../../live.ts';
import { usePageList } from '../../parts/page-list.ts';
import { SidePane } from '../../parts/side-pane.tsx';
import { showToast, showUndoToast } from '../../parts/toasts.tsx';
import { type Bucket, bucketRange, bucketsOf } from '../../plots/buckets.ts';
import { Histogram } from '../../plots/histogram.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, chosenUser, parameters, type ViewParameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { hasSeveralUsers } from '../../users.ts';
import { Facets } from './facets.tsx';
import { filterOf, isByChange, isFiltered, type ListState, listStateOf, NO_FILTERS } from './list-state.ts';
import { forgetMemories, forgets, forgotten, isOwnChange } from './memory-actions.ts';
import { MemoryForm } from './memory-form.tsx';
import { MemoryList } from './memory-list.tsx';
import { type ListedMemory, loadMemories } from './memory-pages.ts';
import { MemoryPane } from './memory-pane.tsx';
import { parseTags } from './tag-text.ts';
import { Toolbar } from './toolbar.tsx';

const EXPIRIES: Record<Expiry, string> = { soon: `expires within ${EXPIRES_SOON_DAYS} days`, any: 'expires' };

/** The filters in force; each can be removed. */
export function FilterChips({ state }: { state: ListState }) {
  if (!isFiltered(state)) return null;
  const { tags, project, source, sourceKind, client, expires, afterMs, beforeMs, show } = state;
  const chips: { text: string; changes: ViewParameters }[] = [
    ...tags.map((tag) => ({ text: `tag: ${tag}`, changes: { tag: tags.filter((other) => other !== tag) } })),
    ...(project === undefined ? [] : [{ text: `project: ${project}`, changes: { project: undefined } }]),
    ...(source === undefined ? [] : [{ text: 'from one source', changes: { source: undefined } }]),
    ...(client === undefined ? [] : [{ text: `stored by: ${titleOfClient(client)}`, changes: { client: undefined } }]),
    ...(sourceKind === undefined ? [] : [{ text: `source: ${sourceKind}`, changes: { sourceKind: undefined } }]),
    ...(expires === undefined ? [] : [{ text: EXPIRIES[expires], changes: { expires: undefined } }]),
    ...(show === 'pinned' ? [{ text: 'pinned', changes: { show: undefined } }] : []),
    ...(afterMs === undefined && beforeMs === undefined
      ? []
      : [{ text: describeTime(state), changes: { after: undefined, before: undefined } }]),
  ];
  return (
    <ul class="chips filter-chips" aria-label="Filters">
      {chips.map(({ text, changes }) => (
        <li key={text}>
          <button type="button" class="chip is-accent" onClick={() => changeParameters(changes)}>
            <span class="filter-text">{text}</span>
            <Icon name="close" size={12} />
            <span class="unseen">(remove)</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="link" onClick={() => changeParameters({ ...NO_FILTERS })}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

/** `changed 20 Nov – 21 Nov`. */
function describeTime(state: ListState): string {
  const { afterMs, beforeMs } = state;
  const verb = isByChange(state) ? 'changed ' : '';
  if (beforeMs === undefined) return `${verb}since ${formatMoment(afterMs! + 1)}`;
  if (afterMs === undefined) return `${verb}before ${formatMoment(beforeMs)}`;
  const first = formatBriefDay(afterMs + 1);
  const last = formatBriefDay(beforeMs - 1);
  return `${verb}${first === last ? first : `${first} – ${last}`}`;
}

const MAX_BARS = 120;

/** When the memories are about: selecting a range filters the list by it. */
export function MemoryHistogram({ state, histogram }: { state: ListState; histogram: MemoryStats['histogram'] }) {
  const buckets = bucketsOf(histogram.days, histogram.unit, MAX_BARS);
  if (buckets.length < 2) return null;
  const format = histogram.unit === 'day' ? formatBriefDay : formatBriefMonth;
  const { afterMs, beforeMs } = state;
  const isAll = afterMs === undefined && beforeMs === undefined;
  const bounds = {
    ...(afterMs !== undefined && { fromMs: afterMs + 1 }),
    ...(beforeMs !== undefined && { toMs: beforeMs }),
  };
  return (
    <Histogram
      label="Memories by the date of what they tell"
      buckets={buckets}
      range={isAll ? undefined : bucketRange(buckets, bounds)}
      describe={(bucket) => `${formatSpan(bucket, format)}: ${formatCount(bucket.count, 'memory', 'memories')}`}
      formatTime={format}
      onSelect={(range) =>
        changeParameters({
          after: range && utcDay(buckets[range[0]]!.fromMs),
          before: range && utcDay(buckets[range[1]]!.toMs),
        })
      }
    />
  );
}

function formatSpan({ fromMs, toMs }: Bucket, format: (epochMs: number) => string): string {
  const first = format(fromMs);
  const last = format(toMs - 1);
  return first === last ? first : `${first} – ${last}`;
}

function utcDay(epochMs: number): string {
  return toTimestamp(epochMs).slice(0, 10);
}

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

/**
 * Counts the memories of the list for its facets, and over all time for its histogram. A list of changes, or of what was
 * known, has no histogram: its times are others. `isCurrent` says whether the counts are of what the list shows: they know
 * neither the words of a search nor memories that are about to be forgotten.
 */
export function useStats(state: ListState): {
  counts: MemoryStats | undefined;
  isCurrent: boolean;
  histogram: MemoryStats['histogram'] | undefined;
} {
  const { client } = currentSession();
  const isTimed = state.afterMs !== undefined || state.beforeMs !== undefined;
  const ofAllTime = { ...filterOf({ ...state, afterMs: undefined, beforeMs: undefined }) };
  const filter = filterOf(state);
  const load = (query: typeof filter) => async (signal: AbortSignal) => {
    const { done } = forgets.peek();
    return { stats: await client.memories.stats({ ...query, histogram: 'occurredAt' }, { signal }), done };
  };
  const all = useResource(JSON.stringify(ofAllTime), load(ofAllTime), { keepsPrevious: true });
  const timed = useResource(isTimed ? JSON.stringify(filter) : undefined, load(filter), { keepsPrevious: true });
  useEffect(
    () =>
      onChanges(['memory'], () => {
        all.reload();
        timed.reload();
      }),
    [all.reload, timed.reload],
  );
  const ofAll = all.state.value.value;
  const hasHistogram = state.asOfMs === undefined && !isByChange(state);
  const counted = isTimed ? (timed.state.value.value ?? ofAll) : ofAll;
  const { begun, done } = forgets.value;
  return {
    counts: counted?.stats,
    isCurrent: state.query === '' && begun === done && counted?.done === done,
    histogram: hasHistogram ? ofAll?.stats.histogram : undefined,
  };
}

/** Adds a memory and opens it. */
export function AddPane({ onAdded }: { onAdded: () => void }) {
  const close = () => changeParameters({ add: undefined });
  return (
    <SidePane title="Add a memory" onClose={close}>
      <MemoryForm
        submitLabel="Add"
        onCancel={close}
        onSubmit={async (fields, form) => {
          const { client } = currentSession();
          const user = String(form.get('user') ?? chosenUser.value ?? '').trim();
          const tags = parseTags(String(form.get('tags')));
          const { content, ...rest } = fields;
          const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
          const added = await client.memories.create({
            content,
            origin: 'person',
            ...set,
            ...(user && { user }),
            tags,
          });
          announce('memory');
          onAdded();
          changeParameters({ add: undefined, id: added.id });
          if (added.duplicate) showToast('This memory is stored already. Here it is.');
          else {
            showUndoToast('Added the memory.', () => {
              changeParameters({ id: undefined });
              forgetMemories(client, [added.id]);
            });
          }
        }}
      >
        <div class="memory-form-row">
          <label class="form">
            Tags
            <input name="tags" placeholder="taste, travel" list="memory-tags" />
          </label>
          {hasSeveralUsers.value && (
            <label class="form">
              User
              <input name="user" maxLength={256} placeholder="default" defaultValue={chosenUser.value ?? ''} />
            </label>
          )}
        </div>
      </MemoryForm>
    </SidePane>
  );
}
