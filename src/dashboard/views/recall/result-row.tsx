import type { Signal } from '@preact/signals';
import type { SearchResult, StoredSearch } from '../../../client/client.ts';
import { formatOrdinal, formatProbability } from '../../format.ts';
import { Highlighted } from '../../parts/highlighted.tsx';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { type Mark, type Marks, toggleMark } from './marks.ts';
import { movementOf } from './rank-movement.ts';
import { SignalBar } from './signal-bar.tsx';
import { WhyTable } from './why-table.tsx';

interface ResultRowProps {
  result: SearchResult;
  query: string;
  /** The same result in the search that this one repeats. */
  then: StoredSearch['results'][number] | undefined;
  range: { least: number; most: number };
  isOpen: boolean;
  /** The id of the result under the pointer or with the focus, in either order. */
  pointed: Signal<string | undefined>;
  marks: Marks;
  isTaught: boolean;
  onOpen(): void;
}

/** A result: its text, its bar of signals, how relevant it is, and whether it helped. */
export function ResultRow({ result, query, then, range, isOpen, pointed, marks, isTaught, onOpen }: ResultRowProps) {
  const { id, content, relevance, why } = result;
  return (
    <li
      class={`result${pointed.value === id ? ' is-pointed' : ''}${isOpen ? ' is-open' : ''}`}
      onPointerEnter={() => (pointed.value = id)}
      onPointerLeave={() => (pointed.value = undefined)}
      onFocusIn={() => (pointed.value = id)}
    >
      <span class="result-rank">{why?.rank}</span>
      <div class="result-body">
        <p class="content result-text">
          <Highlighted text={content} query={[query, ...(why?.related ?? []).map(({ word }) => word)].join(' ')} />
        </p>
        <SignalBar result={result} range={range} />
        <p class="result-meta">
          <Movement result={result} />
          {then && <span class={`chip${then.used ? ' is-accent' : ''}`}>{describeThen(then)}</span>}
          <span title="Calibrated probability that it answers the question">
            {formatProbability(relevance)} likely to answer
          </span>
          <Origin result={result} />
          <button type="button" class="link" aria-expanded={isOpen} onClick={onOpen}>
            Why
          </button>
        </p>
      </div>
      <div class="result-marks">
        <MarkButton id={id} mark="used" marks={marks} isTaught={isTaught} />
        <MarkButton id={id} mark="irrelevant" marks={marks} isTaught={isTaught} />
      </div>
      {isOpen && <WhyTable result={result} />}
    </li>
  );
}

/** Shows how far a result moved, or nothing if it did not. */
export function Movement({ result }: { result: SearchResult }) {
  const movement = movementOf(result);
  if (movement === 0 || result.why === undefined) return null;
  return (
    <span class={`movement ${movement > 0 ? 'is-up' : 'is-down'}`}>
      <Icon name={movement > 0 ? 'up' : 'down'} size={12} />
      {formatOrdinal(result.why.defaultRank)} by default
    </span>
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
        <a href={hrefOf('memories', { user: result.user, id: result.id })}>Memory</a>
        <Moment at={result.occurredAt ?? result.createdAt} />
        {(result.restatedBy ?? result.possiblySupersededBy) !== undefined && <span class="chip">older statement</span>}
      </>
    );
  }
  const { conversationId, user } = result;
  if (result.type === 'message') {
    return (
      <>
        <a href={hrefOf('conversations', { user, id: conversationId ?? undefined, message: result.id })}>
          Message{result.name ? ` of ${result.name}` : ''}
        </a>
        <Moment at={result.createdAt} />
      </>
    );
  }
  return (
    <>
      <a href={hrefOf('conversations', { user, id: conversationId ?? undefined })}>Episode</a>
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
