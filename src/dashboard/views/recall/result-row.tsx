import type { Signal } from '@preact/signals';
import type { SearchResult, StoredSearch } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { formatOrdinal } from '../../format.ts';
import { Author } from '../../parts/author.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { answersPhrase, likelihoodOf } from '../../ranking-words.ts';
import { hrefOf } from '../../router.ts';
import { endSessionOn } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { supersede } from '../../superseding.ts';
import { userParameter } from '../../users.ts';
import { changedSince } from './changed-since.ts';
import { resultId } from './context-card.tsx';
import { type Mark, type Marks, toggleMark } from './marks.ts';
import { movementOf } from './rank-movement.ts';
import type { Restatement } from './restatements.ts';
import { SignalBar } from './signal-bar.tsx';
import { WhyTable } from './why-table.tsx';

interface ResultRowProps {
  result: SearchResult;
  query: string;
  /** The same result in the search that this one repeats. */
  then: StoredSearch['results'][number] | undefined;
  /** When that search ran. */
  askedAt: string | undefined;
  /** What newer or older results say about the same thing. */
  restatement: Restatement | undefined;
  /** The range of the bars of signals; undefined leaves the bar out. */
  range: { least: number; most: number } | undefined;
  isOpen: boolean;
  /** The id of the result under the pointer or with the focus, in either order. */
  pointed: Signal<string | undefined>;
  marks: Marks;
  isTaught: boolean;
  onOpen(): void;
  /** The memory was marked as outdated. */
  onCorrected(): void;
}

/** A result: its text, whether it is outdated or doubtful, and whether it helped. */
export function ResultRow(props: ResultRowProps) {
  const { result, query, then, askedAt, restatement, range, isOpen, pointed, marks, isTaught, onOpen, onCorrected } =
    props;
  const { id, content, relevance, why } = result;
  const isOutdated = restatement?.newer?.isSuggested === false;
  const doubt = likelihoodOf(relevance) === 'likely' ? undefined : answersPhrase(relevance);
  return (
    <li
      id={resultId(id)}
      class={`result${pointed.value === id ? ' is-pointed' : ''}${isOpen ? ' is-open' : ''}${isOutdated ? ' is-outdated' : ''}`}
      onPointerEnter={() => (pointed.value = id)}
      onPointerLeave={() => (pointed.value = undefined)}
      onFocusIn={() => (pointed.value = id)}
    >
      <span class="result-rank">{why?.rank}</span>
      <div class="result-body">
        <p class="content result-text">
          <Highlighted text={content} query={[query, ...(why?.related ?? []).map(({ word }) => word)].join(' ')} />
        </p>
        {range && <SignalBar result={result} range={range} />}
        <p class="result-meta">
          {restatement && <RestatementNote result={result} restatement={restatement} onCorrected={onCorrected} />}
          {range && <Movement result={result} />}
          {then && <span class={`chip${then.used ? ' is-accent' : ''}`}>{describeThen(then)}</span>}
          {then && askedAt !== undefined && <ChangeNote result={result} askedAt={askedAt} />}
          {doubt && <span class="chip">{doubt}</span>}
          <Origin result={result} />
          {result.type !== 'episode' && <Author of={result.author} />}
          <button type="button" class="link" aria-expanded={isOpen} onClick={onOpen}>
            Why
          </button>
        </p>
      </div>
      {may('memory') && (
        <div class="result-marks">
          <MarkButton id={id} mark="used" marks={marks} isTaught={isTaught} />
          <MarkButton id={id} mark="irrelevant" marks={marks} isTaught={isTaught} />
        </div>
      )}
      {isOpen && <WhyTable result={result} />}
    </li>
  );
}

/** Says that a newer result updates this one, or that this one updates others. */
function RestatementNote({ result, restatement: { newer, olderPlaces }, onCorrected }: RestatementNoteProps) {
  if (!newer) return <span class="chip is-accent">newer than the {olderPlaces.map(formatOrdinal).join(', ')}</span>;
  const { result: holds, place, isSuggested } = newer;
  const mark = async () => {
    const text = `“${holds.content}” replaces it. It stays in the history, and searches no longer find it.`;
    if (!(await confirm({ title: 'Mark as outdated?', text, yes: 'Mark as outdated' }))) return;
    try {
      await supersede(result, { content: holds.content });
      showToast('Marked as outdated.');
      onCorrected();
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
  };
  return (
    <>
      <span class="chip is-danger">
        {isSuggested ? 'perhaps outdated' : 'outdated'}: the {formatOrdinal(place)} is newer
      </span>
      {result.type === 'memory' && holds.type === 'memory' && may('memory') && (
        <button type="button" class="link" onClick={() => void mark()}>
          Mark as outdated
        </button>
      )}
    </>
  );
}

interface RestatementNoteProps {
  result: SearchResult;
  restatement: Restatement;
  onCorrected(): void;
}

/** Shows how far a result moved, or nothing if it did not. */
function Movement({ result }: { result: SearchResult }) {
  const movement = movementOf(result);
  if (movement === 0 || result.why === undefined) return null;
  return (
    <span class={`movement ${movement > 0 ? 'is-up' : 'is-down'}`}>
      <Icon name={movement > 0 ? 'up' : 'down'} size={12} />
      {formatOrdinal(result.why.defaultRank)} by default
    </span>
  );
}

/** Says that a memory changed after an earlier search, and leads to how it was then. */
function ChangeNote({ result, askedAt }: { result: SearchResult; askedAt: string }) {
  const changedAt = changedSince(result, askedAt);
  if (changedAt === undefined) return null;
  const { id, user } = result;
  return (
    <a
      class="chip"
      href={hrefOf('memories', { ...userParameter(user), id, asOf: askedAt })}
      title="Show the memory as it was then"
    >
      changed since, <Moment at={changedAt} />
    </a>
  );
}

function describeThen({ rank, used, irrelevant }: StoredSearch['results'][number]): string {
  const judged = used ? ', helped' : irrelevant ? ', did not help' : '';
  return `${formatOrdinal(rank)} then${judged}`;
}

function Origin({ result }: { result: SearchResult }) {
  if (result.type === 'memory') {
    return (
      <>
        <a href={hrefOf('memories', { ...userParameter(result.user), id: result.id })}>Memory</a>
        <Moment at={result.occurredAt ?? result.createdAt} />
      </>
    );
  }
  const { conversationId, user } = result;
  if (result.type === 'message') {
    return (
      <>
        <a
          href={hrefOf('conversations', {
            ...userParameter(user),
            id: conversationId ?? undefined,
            message: result.id,
          })}
        >
          Message{result.name ? ` of ${result.name}` : ''}
        </a>
        <Moment at={result.createdAt} />
      </>
    );
  }
  return (
    <>
      <a href={hrefOf('conversations', { ...userParameter(user), id: conversationId ?? undefined })}>Episode</a>
      <Moment at={result.startedAt} />
    </>
  );
}

interface MarkButtonProps {
  id: string;
  mark: Mark;
  marks: Marks;
  isTaught: boolean;
}

const MARKS = {
  used: { label: 'This helped', icon: 'thumbUp' },
  irrelevant: { label: 'This did not help', icon: 'thumbDown' },
} as const;

function MarkButton({ id, mark, marks, isTaught }: MarkButtonProps) {
  const { label, icon } = MARKS[mark];
  return (
    <button
      type="button"
      class={`icon-button mark is-${mark}`}
      aria-label={label}
      title={label}
      disabled={isTaught}
      aria-pressed={marks.value.get(id) === mark}
      onClick={() => toggleMark(marks, id, mark)}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
