import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Topic } from '../../../client/client.ts';
import { TOPIC_SORTS, type TopicSort } from '../../../contract/topic-sorts.ts';
import { formatCount } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { Refresh } from '../../parts/refresh.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { changeParameters, chosenUser, hrefOf, hrefWith, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { may } from '../../space.ts';
import { hasSeveralUsers } from '../../users.ts';
import { onTopicChanges } from './topic-changes.ts';

const PAGE_ROWS = 100;
/** Rows beyond the loaded ones for which the list makes room, so that scrolling loads a page at a time. */
const ROOM_ROWS = 60;
const TYPING_PAUSE_MS = 250;
/** The longest that the API looks for. */
const MAX_QUERY = 80;
const SHOWN_ALIASES = 3;

const SORT_LABELS: Readonly<Record<TopicSort, string>> = {
  memories: 'Most mentioned',
  latest: 'Last mentioned',
  name: 'Name',
};

interface TopicListProps {
  user: string | undefined;
  /** The topic whose page was open before. */
  lastOpen: string | undefined;
}

/** The topics of one user. */
export function TopicList({ user, lastOpen }: TopicListProps) {
  const query = (parameters.value.get('q') ?? '').trim().slice(0, MAX_QUERY);
  const sort = TOPIC_SORTS.find((name) => name === parameters.value.get('sort')) ?? 'memories';
  const isHidden = parameters.value.has('hidden');
  const list = usePageList<Topic>(JSON.stringify([user, query, sort, isHidden]), (cursor, signal) =>
    currentSession().client.topics.list(
      {
        ...{ sort, hidden: isHidden, limit: PAGE_ROWS },
        ...(user !== undefined && { user }),
        ...(query !== '' && { q: query }),
        ...(cursor !== undefined && { cursor }),
      },
      { signal },
    ),
  );
  const { rows, total, error, isLoading, loadMore, reload } = list;
  const isStale = useSignal(false);
  const isLong = rows.length > PAGE_ROWS;
  useEffect(
    () =>
      onTopicChanges(() => {
        // Reloading a list that was scrolled further would lose the place.
        if (isLong) isStale.value = true;
        else reload();
      }),
    [isLong, reload],
  );
  const isComplete = total !== undefined && rows.length >= total;
  const isAnyShown = rows.length > 0 || query !== '' || isHidden || isLoading;
  return (
    <div class="stack topics">
      {isAnyShown && (
        <div class="bar topics-bar">
          <SearchField label="Search topics" query={query} pauseMs={TYPING_PAUSE_MS} />
          <label>
            <span class="unseen">Order</span>
            <select
              value={sort}
              onChange={(event) => changeParameters({ sort: event.currentTarget.value.replace(/^memories$/, '') })}
            >
              {TOPIC_SORTS.map((name) => (
                <option key={name} value={name}>
                  {SORT_LABELS[name]}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {error !== undefined && <Failure error={error} onRetry={list.retry} />}
      {(rows.length > 0 || isHidden) && (
        <div class="bar topics-status">
          <p class="hint" role="status">
            {rows.length > 0 && `${formatCount(rows.length, 'topic', 'topics')}${isComplete ? '' : ' so far'}`}
            {rows.length > 0 && isHidden && ', hidden'}
            {hasSeveralUsers.value && user !== undefined && (
              <>
                {rows.length > 0 ? ' of ' : 'Topics of '}
                <bdi>{user}</bdi>
                {chosenUser.value === undefined && '. To see another user’s, choose one above'}
              </>
            )}
          </p>
          <Refresh
            isStale={isStale.value}
            onRefresh={() => {
              isStale.value = false;
              reload();
            }}
          >
            Topics changed. Refresh
          </Refresh>
          <a class="hint" href={hrefWith({ hidden: isHidden ? undefined : '1', q: undefined })}>
            {isHidden ? 'Back to all topics' : 'Hidden topics'}
          </a>
        </div>
      )}
      {rows.length === 0 && isLoading && <Loading label="Loading topics" rows={12} />}
      {rows.length === 0 && !isLoading && error === undefined && <NoTopics query={query} isHidden={isHidden} />}
      {rows.length > 0 && (
        <VirtualList<Topic>
          label="Topics"
          rows={rows}
          total={rows.length + (isComplete ? 0 : ROOM_ROWS)}
          keyOf={({ id }) => id}
          activeKey={lastOpen}
          onMore={loadMore}
          onOpen={({ id }) => changeParameters({ id })}
          renderRow={renderRow}
        />
      )}
    </div>
  );
}

function renderRow({ name, aliases, memoryCount, lastAt }: Topic) {
  const others = aliases.slice(0, SHOWN_ALIASES).join(', ');
  return (
    <>
      <span class="row-text">
        <bdi>{name}</bdi>{' '}
        {others !== '' && (
          <bdi class="topic-others">
            {others}
            {aliases.length > SHOWN_ALIASES && ', …'}
          </bdi>
        )}
      </span>
      <span class="row-meta">{formatCount(memoryCount, 'memory', 'memories')}</span>
      <span class="row-meta topic-time">{lastAt !== null && <Moment isBrief at={lastAt} />}</span>
    </>
  );
}

function NoTopics({ query, isHidden }: { query: string; isHidden: boolean }) {
  if (query !== '') {
    return (
      <Empty icon="topic" title="No such topic">
        <p>No name has a word that begins with “{query}”. To look inside of memories, search them.</p>
        <a class="button" href={hrefOf('memories', { q: query })}>
          Search memories
        </a>
      </Empty>
    );
  }
  if (isHidden) {
    return (
      <Empty icon="topic" title="Nothing is hidden">
        <p>Hide what is no topic on its page: it leaves the list and the profile, and nothing is erased.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="topic" title="No topics yet">
      <p>
        People, places, projects and things become topics once two memories mention them. svc finds them automatically,
        some seconds after a memory is stored, and shows what holds now and what was before.
      </p>
      {hasSeveralUsers.value && <p>Topics are of one user. To see those of another, choose one above.</p>}
      <p>
        <a href={hrefWith({ hidden: '1' })}>Hidden topics</a>
      </p>
      {may('memory') && (
        <a class="button primary" href={hrefOf('memories', { add: '1' })}>
          Add a memory
        </a>
      )}
    </Empty>
  );
}
