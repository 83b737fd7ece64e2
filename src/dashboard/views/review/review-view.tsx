import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Acceptance, Suggestion } from '../../../client/client.ts';
import { systemClock } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { announce, onChanges } from '../../live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type PageList, usePageList } from '../../parts/page-list.ts';
import { Refresh } from '../../parts/refresh.tsx';
import { showToast, showUndoToast } from '../../parts/toasts.tsx';
import { isTyping } from '../../parts/typing.ts';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { currentSpace, may } from '../../space.ts';
import { DONE } from './kinds.ts';
import { ReviewSettings } from './review-settings.tsx';
import { SuggestionCard } from './suggestion-card.tsx';

/** The newest accepted suggestions, among which are those that nobody decided. */
const LISTED = 100;
const SHOWN = 20;
const WEEK_MS = 7 * 86_400_000;

/** What svc accepted automatically in the last week, each with its undo; nothing if there is none. */
export function Automatic({ user }: { user: string | undefined }) {
  const accepted = useResource(`accepted ${user ?? ''}`, async (signal) => {
    const query = { state: 'accepted', by: 'rules', limit: LISTED, ...(user && { user }) } as const;
    const { data } = await currentSession().client.suggestions.list(query, { signal });
    const sinceMs = systemClock.nowMs() - WEEK_MS;
    return data.filter(({ decidedBy, decidedAt }) => decidedBy === 'svc' && Date.parse(decidedAt ?? '') > sinceMs);
  });
  useEffect(() => onChanges(['suggestion'], accepted.reload), [accepted.reload]);
  const own = accepted.state.value.value ?? [];
  if (own.length === 0) return null;
  const undo = async (suggestion: Suggestion) => {
    try {
      await currentSession().client.suggestions.undo(suggestion.id);
      announce('memory');
      showToast('Undone: it waits for you, and svc does not accept it again.');
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    accepted.reload();
  };
  return (
    <section class="card stack" aria-labelledby="automatic-title">
      <h2 id="automatic-title">Accepted by svc this week</h2>
      <ul class="suggestion-memories">
        {own.slice(0, SHOWN).map((suggestion) => (
          <li key={suggestion.id}>
            <p class="content">{suggestion.content ?? suggestion.evidence.at(-1)?.text}</p>
            <p class="hint">
              {DONE[suggestion.kind]} <Moment at={suggestion.decidedAt ?? suggestion.createdAt} />
            </p>
            {may('account') && (
              <button type="button" class="small" onClick={() => void undo(suggestion)}>
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const PAGE = 50;

/** Suggested changes of memories, one at a time, decided by buttons or keys. */
export function View() {
  const user = chosenUser.value;
  const list = usePageList<Suggestion>(user ?? '', async (cursor, signal) => {
    const query = { state: 'open', limit: PAGE, ...(user && { user }), ...(cursor && { cursor }) } as const;
    return currentSession().client.suggestions.list(query, { signal });
  });
  const editing = useSignal<string | undefined>(undefined);
  const isStale = useSignal(false);
  const isLong = list.rows.length > PAGE;
  useEffect(
    () =>
      onChanges(['suggestion', 'memory'], () => {
        // Reloading would lose what is being typed, or a place further down.
        isStale.value = isLong || editing.peek() !== undefined;
        if (!isStale.peek()) list.reload();
      }),
    [isLong, list.reload],
  );
  if (list.error !== undefined && list.rows.length === 0) return <Failure error={list.error} onRetry={list.retry} />;
  if (list.rows.length === 0 && list.isLoading) return <Loading label="Loading Review" />;
  return (
    <div class="stack review">
      <Refresh
        isStale={isStale.value}
        onRefresh={() => {
          isStale.value = false;
          editing.value = undefined;
          list.reload();
        }}
      >
        Suggestions changed. Refresh
      </Refresh>
      {list.rows.length === 0 ? <NothingOpen /> : <Inbox list={list} editing={editing} />}
      <Automatic user={user} />
      {may('account') && <ReviewSettings />}
    </div>
  );
}

function NothingOpen() {
  return (
    <Empty icon="review" title="Nothing to review">
      <p>
        svc compares new memories with those like them. When two say the same, or one is out of date, it asks here.
        Nothing changes until you accept, unless you say otherwise below.
      </p>
      <p>
        <a href={hrefOf('memories')}>Go to Memories</a>
      </p>
    </Empty>
  );
}

/** Shows the suggestion that was shown before, wherever a reload has put it; `editing` is the id of one whose text is changed. */
function Inbox({ list, editing }: { list: PageList<Suggestion>; editing: Signal<string | undefined> }) {
  const shown = useSignal({ id: '', at: 0 });
  const isBusy = useSignal(false);
  const lastDecided = useRef<Suggestion | undefined>(undefined);
  const found = list.rows.findIndex(({ id }) => id === shown.value.id);
  const at = found === -1 ? Math.min(shown.value.at, list.rows.length - 1) : found;
  const current = list.rows[at]!;
  useEffect(() => {
    shown.value = { id: current.id, at };
    if (editing.peek() !== current.id) editing.value = undefined;
  }, [current.id, at]);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(to, list.rows.length - 1));
    editing.value = undefined;
    shown.value = { id: list.rows[next]!.id, at: next };
    if (next >= list.rows.length - 5) list.loadMore();
  };

  const run = async (work: () => Promise<unknown>) => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      await work();
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
      list.reload();
    } finally {
      isBusy.value = false;
    }
  };
  const undo = (decided = lastDecided.current) =>
    run(async () => {
      if (decided === undefined) return;
      await currentSession().client.suggestions.undo(decided.id);
      if (lastDecided.current === decided) lastDecided.current = undefined;
      announce('memory');
      list.reload();
    });
  const decide = (decision: 'accept' | 'reject', acceptance: Acceptance = {}) =>
    run(async () => {
      const { suggestions } = currentSession().client;
      if (decision === 'accept') await suggestions.accept(current.id, acceptance);
      else await suggestions.reject(current.id);
      lastDecided.current = current;
      editing.value = undefined;
      list.change((rows) => rows.filter(({ id }) => id !== current.id));
      if (decision === 'accept') announce('memory');
      showUndoToast(
        decision === 'accept' ? 'Accepted.' : 'Rejected: it is not suggested again.',
        () => void undo(current),
      );
    });

  const keys = useRef<Record<string, () => void>>({});
  const mustChoose = current.kind === 'contradiction';
  const mayDecide = may('account');
  keys.current = {
    ...(!mustChoose && mayDecide && { a: () => void decide('accept'), e: () => (editing.value = current.id) }),
    ...(mayDecide && { r: () => void decide('reject'), u: () => void undo() }),
    j: () => go(at + 1),
    k: () => go(at - 1),
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const act = keys.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <>
      <div class="review-place">
        <p role="status">
          {at + 1} of{' '}
          {list.total !== undefined && list.total > list.rows.length ? `${list.rows.length}+` : list.rows.length}
        </p>
        <div class="buttons">
          <button type="button" class="small" disabled={at === 0} onClick={() => go(at - 1)}>
            Previous <kbd>k</kbd>
          </button>
          <button type="button" class="small" disabled={at === list.rows.length - 1} onClick={() => go(at + 1)}>
            Next <kbd>j</kbd>
          </button>
        </div>
      </div>
      <SuggestionCard
        key={current.id}
        suggestion={current}
        isBusy={isBusy.value}
        isEditing={editing.value === current.id}
        onEdit={(isOpen) => (editing.value = isOpen ? current.id : undefined)}
        onDecide={(decision, acceptance) => void decide(decision, acceptance)}
      />
      <p class="hint">
        {mayDecide ? (
          <>
            Nothing is erased: what is replaced stays in the history, and a decision can be undone for 30 days (
            <kbd>u</kbd> for the last one).
          </>
        ) : (
          `Only ${currentSpace.value ? 'owners of the space decide' : 'a session with the API key decides'} suggestions.`
        )}
      </p>
    </>
  );
}
