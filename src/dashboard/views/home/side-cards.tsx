import { useEffect } from 'preact/hooks';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { Account } from '../../../client/client.ts';
import type { ActivityStats } from '../../../contract/activity.ts';
import { MULTILINGUAL_MODEL, namesOfLanguages } from '../../../contract/advised-models.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { availableUpdate, daemonState, lookAtDaemon } from '../../daemon-state.ts';
import { formatCount, formatNumber, formatUpcoming } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { DaemonState } from '../../readiness.ts';
import { type Resource, useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { hrefOfConnecting } from '../../space.ts';

/** Whether the daemon and its jobs are well; once something is stored, also limits and what is not set up. */
export function SideCards({ isEmpty }: { isEmpty: boolean }) {
  const account = useResource('account', (signal) => currentSession().client.account.get({ signal }));
  useEffect(() => onChanges(['memory', 'account'], account.reload), [account.reload]);
  return (
    <div class="stack">
      {!isEmpty && hasLimits(account.state.value.value) && <QuotaCard account={account} />}
      <HealthCard lastBackupAt={account.state.value.value?.lastBackupAt} isEmpty={isEmpty} />
      <ClientsCard />
    </div>
  );
}

/** Whether any quota is limited: without limits there is nothing to watch. */
function hasLimits(account: Account | undefined): boolean {
  return account !== undefined && Object.values(account.quotas).some(({ limit }) => limit !== null);
}

function QuotaCard({ account }: { account: Resource<Account> }) {
  return (
    <section class="card stack" aria-labelledby="quota-title">
      <h2 id="quota-title">Plan and usage</h2>
      <Loaded resource={account} rows={3}>
        {({ tier, limits, quotas }) => (
          <>
            <p>
              {tier} · {formatNumber(limits.requestsPerMinute)} requests a minute
            </p>
            <Meter
              label="Memories today"
              {...quotas.dailyMemories}
              format={formatNumber}
              {...resetNote(quotas.dailyMemories)}
            />
            <Meter
              label="Searches this month"
              {...quotas.monthlyQueries}
              format={formatNumber}
              {...resetNote(quotas.monthlyQueries)}
            />
            <Meter
              label="Stored text"
              used={quotas.storedBytes.used}
              limit={quotas.storedBytes.limit}
              format={formatSize}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Says when a quota resets, where it is worth knowing. */
function resetNote({ used, limit, resetsAt }: { used: number; limit: number | null; resetsAt: string }): {
  note?: string;
} {
  const resetsAtMs = parseTimestamp(resetsAt);
  if (limit === null || used < limit * 0.8 || resetsAtMs === undefined) return {};
  return { note: `Resets ${formatUpcoming(resetsAtMs)}` };
}

const STATES: Record<DaemonState['kind'], string> = {
  well: 'Ready',
  warned: 'Needs attention',
  readOnly: 'Cannot store',
  unreachable: 'Does not respond',
};

const MODEL_OF_DAEMON = {
  english: 'Model for English',
  multilingual: 'Model for many languages',
  unknown: 'Model of the daemon',
};

/** `lastBackupAt` is undefined if the account may not see backups. */
function HealthCard({ lastBackupAt, isEmpty }: Pick<Account, 'lastBackupAt'> & { isEmpty: boolean }) {
  const { client } = currentSession();
  const health = useResource('health', async (signal) => {
    const [providers, stored, jobs] = await Promise.all([
      client.providerSettings.get({ signal }),
      client.retrieval.languages({ signal }),
      client.jobs.list({ limit: 20 }, { signal }).then(({ data }) => data),
      lookAtDaemon(),
    ]);
    const open = jobs.filter(({ state }) => state === 'running' || state === 'queued').length;
    const failed = jobs.filter(({ state }) => state === 'failed').length;
    const { model, onAppend } = providers.extraction;
    return { embedding: providers.embedding, extraction: onAppend ? model : null, stored, open, failed };
  });
  useEffect(() => onChanges(['job', 'account'], health.reload), [health.reload]);
  const { kind } = daemonState.value;
  return (
    <section class="card stack" aria-labelledby="health-title">
      <h2 id="health-title">Health</h2>
      <Loaded resource={health} rows={3}>
        {({ embedding, extraction, stored, open, failed }) => (
          <>
            <dl class="facts health">
              <dt>Daemon</dt>
              <dd class={kind === 'well' ? 'is-well' : 'is-ill'}>{STATES[kind]}</dd>
              <dt>Search by meaning</dt>
              <dd>
                {embedding?.model ??
                  (stored.meaning === 'none' ? (
                    <a href={hrefOf('settings', { section: 'providers' })}>Not set up</a>
                  ) : (
                    MODEL_OF_DAEMON[stored.meaning]
                  ))}
              </dd>
              <dt>Extraction</dt>
              <dd>{extraction?.model ?? <a href={hrefOf('settings', { section: 'providers' })}>Not set up</a>}</dd>
              <dt>Jobs</dt>
              <dd class={failed > 0 ? 'is-ill' : ''}>
                <a href={hrefOf('activity', { tab: 'jobs' })}>{describeJobs(open, failed)}</a>
              </dd>
              {lastBackupAt !== undefined && availableUpdate.value !== undefined && (
                <>
                  <dt>Update</dt>
                  <dd>svc {availableUpdate.value} is available</dd>
                </>
              )}
              {lastBackupAt !== undefined && (
                <>
                  <dt>Last backup</dt>
                  <dd>{lastBackupAt === null ? 'None yet' : <Moment at={lastBackupAt} />}</dd>
                </>
              )}
            </dl>
            {!isEmpty && extraction === null && (
              <p class="hint">
                What is said in conversations becomes memories with <code>svc extract --with claude</code>, which needs
                no provider key.
              </p>
            )}
            {stored.needsMultilingualModel && (
              <p class="hint">
                Your texts are in {namesOfLanguages(stored.languages)}: with{' '}
                <code>svc model add {MULTILINGUAL_MODEL}</code> on the daemon’s machine, a question finds what was told
                in another language.
              </p>
            )}
          </>
        )}
      </Loaded>
      {lastBackupAt === null && (
        <p class="hint">
          <code>svc backup</code> makes a backup.
        </p>
      )}
    </section>
  );
}

function describeJobs(open: number, failed: number): string {
  if (failed > 0) return `${formatCount(failed, 'job', 'jobs')} failed`;
  return open > 0 ? `${formatCount(open, 'job', 'jobs')} running` : 'None running';
}

const SHOWN_CLIENTS = 6;

/** Each program once, under the name that people know, the last seen first. */
function lastSeenByTitle(clients: ActivityStats['clients']): { title: string; client: string; lastSeenAt: string }[] {
  const seen = new Map<string, { title: string; client: string; lastSeenAt: string }>();
  for (const { client, lastSeenAt } of clients) {
    const title = titleOfClient(client);
    if (!seen.has(title)) seen.set(title, { title, client, lastSeenAt });
  }
  return [...seen.values()];
}

function ClientsCard() {
  const { client } = currentSession();
  const seen = useResource('clients', async (signal) => {
    const { clients } = await client.activity.stats({ exceptClient: WEB_APP_CLIENT }, { signal });
    return lastSeenByTitle(clients).slice(0, SHOWN_CLIENTS);
  });
  useEffect(() => onChanges(['memory', 'conversation'], seen.reload), [seen.reload]);
  return (
    <section class="card" aria-labelledby="clients-title">
      <div class="card-head">
        <h2 id="clients-title">Connected clients</h2>
        <a href={hrefOfConnecting()}>Connect</a>
      </div>
      <Loaded resource={seen} rows={2}>
        {(clients) =>
          clients.length === 0 ? (
            <p class="hint">None has called yet.</p>
          ) : (
            <ul class="clients">
              {clients.map((one) => (
                <li key={one.title}>
                  <a class="row-text" href={hrefOf('activity', { client: one.client })}>
                    {one.title}
                  </a>
                  <span class="hint">
                    <Moment at={one.lastSeenAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
