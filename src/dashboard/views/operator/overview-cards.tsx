import type { ComponentChildren } from 'preact';
import { formatSize } from '../../../contract/byte-size.ts';
import type { OperatorOverview } from '../../../contract/operator.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { Icon } from '../../shell/icon.tsx';

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
