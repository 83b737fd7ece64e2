import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { ActivityEntry, ActivityStats } from '../../../contract/activity.ts';
import { describeError } from '../../errors.ts';
import { formatDay, formatMs } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { saveFile } from '../../parts/save-file.ts';
import { showToast } from '../../parts/toasts.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { LinePlot } from '../../plots/line-plot.tsx';
import { type Resource, useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { hrefOfConnecting } from '../../space.ts';
import { csvOf } from './activity-csv.ts';
import { filterOf } from './activity-filter.ts';
import { RequestDetail } from './request-detail.tsx';
import { RequestFilters } from './request-filters.tsx';

const PAGE_ROWS = 100;
const FOLLOW_INTERVAL_MS = 3000;
const CSV_ROWS = 10_000;

/** The requests of the last 30 days, newest first. */
export function RequestList() {
  const { client } = currentSession();
  const filter = filterOf(parameters.value);
  const list = usePageList(JSON.stringify(filter), (cursor, signal) =>
    client.activity.list({ ...filter, limit: PAGE_ROWS, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  const { exceptClient } = filterOf(new URLSearchParams(parameters.value.has('own') ? 'own=1' : ''));
  const stats = useResource(`activity ${exceptClient}`, (signal) =>
    client.activity.stats(exceptClient === undefined ? {} : { exceptClient }, { signal }),
  );
  const isFollowing = useSignal(false);
  useEffect(() => onChanges(['memory', 'conversation', 'feedback'], list.refresh), [list.refresh]);
  useEffect(() => {
    if (!isFollowing.value) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && list.refresh(), FOLLOW_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isFollowing.value]);

  const { rows, total, error, isLoading } = list;
  const id = parameters.value.get('id');
  const selected = rows.find((entry) => entry.id === id);
  const isFiltered = [...parameters.value.keys()].some((name) => !['space', 'user', 'tab', 'id', 'own'].includes(name));
  return (
    <div class={`with-pane${selected ? ' is-open' : ''}`}>
      <div class="stack">
        <Latency stats={stats} />
        <div class="bar activity-bar">
          <RequestFilters clients={stats.state.value.value?.clients ?? []} />
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing.value}
              onChange={() => (isFollowing.value = !isFollowing.value)}
            />
            Follow
          </label>
          <CsvButton />
        </div>
        {error !== undefined && <Failure error={error} onRetry={list.reload} />}
        {total === undefined && isLoading && <Loading label="Loading requests" />}
        {rows.length > 0 && (
          <div class="card activity-list">
            <VirtualList
              label="Requests"
              rows={rows}
              total={total ?? rows.length}
              keyOf={(entry) => entry.id}
              renderRow={(entry) => <RequestRow entry={entry} />}
              onMore={list.loadMore}
              onOpen={(entry) => changeParameters({ id: entry.id })}
            />
          </div>
        )}
        {total === 0 && (isFiltered ? <NothingMatches /> : <NothingYet />)}
      </div>
      {selected && <RequestDetail entry={selected} />}
    </div>
  );
}

function RequestRow({ entry }: { entry: ActivityEntry }) {
  return (
    <>
      <span class="activity-time row-meta">
        <Moment at={entry.at} />
      </span>
      <span class="activity-client row-text">{titleOfClient(entry.client)}</span>
      {entry.author !== null && (
        <span class="activity-author row-meta">
          <Author of={entry.author} before="" />
        </span>
      )}
      <code class="row-text">{entry.transport === 'mcp' ? entry.route : `${entry.method} ${entry.route}`}</code>
      <span class={`chip ${entry.status >= 400 ? 'is-danger' : ''}`}>{entry.status}</span>
      <span class="activity-ms row-meta numeric">{formatMs(entry.milliseconds)}</span>
    </>
  );
}

function NothingYet() {
  return (
    <Empty icon="activity" title="No requests yet">
      <p>Requests of your assistants and programs appear here as they come, without what they contain.</p>
      <p>
        <a class="button primary" href={hrefOfConnecting()}>
          Connect an assistant
        </a>
      </p>
    </Empty>
  );
}

function NothingMatches() {
  const clear = { client: undefined, transport: undefined, status: undefined, route: undefined };
  return (
    <Empty icon="search" title="No request matches">
      <button type="button" onClick={() => changeParameters({ ...clear, after: undefined, before: undefined })}>
        Clear the filters
      </button>
    </Empty>
  );
}

function CsvButton() {
  const isBusy = useSignal(false);
  const download = async () => {
    isBusy.value = true;
    try {
      const entries: ActivityEntry[] = [];
      for await (const entry of currentSession().client.activity.list({ ...filterOf(parameters.value), limit: 200 })) {
        entries.push(entry);
        if (entries.length === CSV_ROWS) break;
      }
      saveFile('svc-activity.csv', new Blob([csvOf(entries)], { type: 'text/csv' }));
      if (entries.length === CSV_ROWS) showToast(`The file has the newest ${CSV_ROWS} requests.`);
    } catch (error) {
      showToast(describeError(error), 'error');
    }
    isBusy.value = false;
  };
  return (
    <button type="button" class="small" disabled={isBusy.value} onClick={() => void download()}>
      <Icon name="download" size={16} />
      CSV
    </button>
  );
}

/** The median and the 95th percentile of latencies, by day. */
function Latency({ stats }: { stats: Resource<ActivityStats> }) {
  return (
    <Loaded resource={stats} rows={3}>
      {({ days }) => {
        if (days.every(({ requests }) => requests === 0)) return null;
        return (
          <section class="card" aria-labelledby="latency-title">
            <div class="card-head">
              <h2 id="latency-title">Latency</h2>
              <span class="hint">by day, last 30 days</span>
            </div>
            <LinePlot
              label="Latency by day"
              labels={days.map(({ day }) => formatDay(day))}
              series={[
                { name: 'Median', values: days.map(({ p50 }) => p50) },
                { name: '95th percentile', values: days.map(({ p95 }) => p95) },
              ]}
              format={formatMs}
            />
          </section>
        );
      }}
    </Loaded>
  );
}
