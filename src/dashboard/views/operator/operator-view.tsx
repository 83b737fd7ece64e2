import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatSize } from '../../../contract/byte-size.ts';
import type { OperatorOverview } from '../../../contract/operator.ts';
import { formatCount, formatMs, formatNumber } from '../../format.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { Icon } from '../../shell/icon.tsx';
import { operatorMessage, operatorTransport } from '../../shell/operator-session.ts';
import { AccountsCard } from './accounts-card.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { MaintenanceCards } from './maintenance-cards.tsx';
import { operatorCalls } from './operator-calls.ts';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** The daemon at a glance. */
export function OverviewCards({ overview, onRefresh }: { overview: OperatorOverview; onRefresh: () => void }) {
  const { version, engine, startedAt, daemons, dataBytes, freeBytes, checks, queues } = overview;
  const failing = Object.entries(checks).filter(([, state]) => state !== 'ok');
  const waiting = queues.writes + queues.embeddings + queues.jobs + queues.mails;
  return (
    <section class="stack" aria-labelledby="daemon-title">
      <div class="card-head operator-head">
        <h2 id="daemon-title">Daemon</h2>
        <button type="button" class="small" onClick={onRefresh}>
          <Icon name="refresh" size={16} /> Refresh
        </button>
      </div>
      <div class="stats">
        <Figure title="State" value={failing.length === 0 ? 'Ready' : 'Not ready'}>
          {failing.length === 0 ? (
            <>
              Started <Moment at={startedAt} />
            </>
          ) : (
            <span class="error">{failing.map(([name, state]) => `${name}: ${state}`).join(', ')}</span>
          )}
        </Figure>
        <Figure title="Version" value={version}>
          {ENGINES[engine]}, {formatCount(daemons, 'daemon', 'daemons')}
        </Figure>
        <Figure title="Data" value={formatSize(dataBytes)}>
          {formatSize(freeBytes)} free on the disk
        </Figure>
        <Figure title="Waiting" value={formatNumber(waiting)}>
          {formatNumber(queues.embeddings)} to embed, {formatCount(queues.jobs, 'job', 'jobs')},{' '}
          {formatCount(queues.mails, 'mail', 'mails')}
        </Figure>
      </div>
    </section>
  );
}

function Figure({ title, value, children }: { title: string; value: string; children: ComponentChildren }) {
  return (
    <div class="card operator-figure">
      <h3 class="stat-title">{title}</h3>
      <p class="operator-value">{value}</p>
      <p class="hint">{children}</p>
    </div>
  );
}

/** How often a running backup or check is asked for its progress. */
const POLL_MS = 1000;

/** The operator's view: what `svc admin` does, in the browser. */
export function View() {
  if (operatorTransport.value) return <Operator />;
  return (
    <Empty icon="operator" title="The operator view is closed">
      {operatorMessage.value && <p role="status">{operatorMessage.value}</p>}
      <p>
        Run <code>svc admin open</code> on the daemon’s machine. Its link works once, for 60 seconds, and only there.
      </p>
    </Empty>
  );
}

function Operator() {
  const overview = useResource('overview', (signal) => operatorCalls.overview(signal));
  const { value, isLoading } = overview.state.value;
  const isBusy = value !== undefined && isRunning(value);
  useEffect(() => {
    if (!isBusy || isLoading) return undefined;
    const timer = setTimeout(overview.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isBusy, isLoading]);
  return (
    <div class="stack">
      <Loaded resource={overview} rows={4}>
        {(loaded) => (
          <>
            <OverviewCards overview={loaded} onRefresh={overview.reload} />
            <MaintenanceCards overview={loaded} onStarted={overview.reload} />
          </>
        )}
      </Loaded>
      <AccountsCard />
      <div class="operator-columns">
        {value && <LatenciesCard requests={value.requests} />}
        <InvitationsCard />
      </div>
    </div>
  );
}

function isRunning({ check, backups }: OperatorOverview): boolean {
  return check?.state === 'running' || backups?.task?.state === 'running';
}

/** How long requests took since the daemon started, by route. */
export function LatenciesCard({ requests }: Pick<OperatorOverview, 'requests'>) {
  return (
    <section class="card stack" aria-labelledby="latencies-title">
      <h2 id="latencies-title">Requests since the start</h2>
      <section class="operator-scroll" aria-label="Latencies by route" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col" class="numeric is-roomy">
                Requests
              </th>
              <th scope="col" class="numeric">
                p50
              </th>
              <th scope="col" class="numeric">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {requests.map(({ method, route, count, p50Ms, p95Ms }) => (
              <tr key={`${method} ${route}`}>
                <th scope="row" class="operator-route">
                  <span class="row-meta">{method}</span> {route}
                </th>
                <td class="numeric is-roomy">{formatNumber(count)}</td>
                <td class="numeric">{formatMs(p50Ms)}</td>
                <td class="numeric">{formatMs(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
