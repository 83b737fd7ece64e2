import { useEffect } from 'preact/hooks';
import type { Connection } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { onChanges } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { showToast } from '../../parts/toasts.tsx';
import { currentSession, endSessionOn, signOut } from '../../session.ts';
import { DeviceCodeForm } from './allow-device.tsx';

const KINDS: Record<Connection['kind'], string> = { page: 'Browser', device: 'Device', oauth: 'Assistant' };

/** Lists the connections that may use the account besides its API key. Each can be revoked separately. */
export function ConnectionsCard() {
  const { client } = currentSession();
  const list = usePageList<Connection>('connections', (cursor, signal) =>
    client.connections.list({ limit: 50, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  useEffect(() => onChanges(['account'], list.reload), []);
  const revoke = async (connection: Connection) => {
    if (!(await confirm(questionOf(connection)))) return;
    try {
      if (connection.current) return await signOut();
      await client.connections.delete(connection.id);
      showToast(`Revoked ${connection.client}.`);
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    list.reload();
  };
  return (
    <section class="card stack" aria-labelledby="connections-title">
      <h2 id="connections-title">Connections</h2>
      <DeviceCodeForm />
      <p class="hint">What is signed in besides the API key. Replacing the key leaves these connected.</p>
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      {list.total === undefined && list.isLoading && <Loading rows={2} />}
      {list.total === 0 && <p class="hint">Nothing. This page uses the API key.</p>}
      <ul class="connection-list" aria-label="Connections">
        {list.rows.map((connection) => (
          <ConnectionRow key={connection.id} connection={connection} onRevoke={() => void revoke(connection)} />
        ))}
      </ul>
      {list.rows.length < (list.total ?? 0) && (
        <div class="buttons">
          <button type="button" class="small" disabled={list.isLoading} onClick={list.loadMore}>
            Show more
          </button>
        </div>
      )}
    </section>
  );
}

const EFFECTS: Record<Connection['kind'], string> = {
  page: 'It is signed out immediately.',
  device: 'Its assistants and commands stop working immediately, and the browsers that it opened are signed out.',
  oauth: 'It can no longer use your memories.',
};

function questionOf({ client, kind, current }: Connection) {
  if (current) return { title: 'Sign out here?', text: 'This page asks you to sign in again.', yes: 'Sign out' };
  return { title: `Revoke ${client}?`, text: EFFECTS[kind], yes: 'Revoke' };
}

/** Says who vouches for the name of an assistant: it may have chosen the name itself. */
function VouchedFor({ host }: { host: string | null }) {
  if (host !== null) return <span class="chip">verified by {host}</span>;
  return (
    <span class="chip" title="The assistant chose this name itself: any program can use it.">
      unverified name
    </span>
  );
}

function ConnectionRow({ connection, onRevoke }: { connection: Connection; onRevoke: () => void }) {
  const { client, kind, verifiedHost, address, current, createdAt, lastUsedAt, expiresAt } = connection;
  return (
    <li class="connection">
      <div>
        <p class="bar">
          <strong>{client}</strong>
          <span class="chip">{KINDS[kind]}</span>
          {kind === 'oauth' && <VouchedFor host={verifiedHost} />}
          {current && <span class="chip is-accent">this one</span>}
        </p>
        <p class="hint">
          {kind === 'page' ? 'Signed in' : 'Connected'} <Moment at={createdAt} /> · last used <Moment at={lastUsedAt} />
          {address !== null && ` from ${address}`} ·{' '}
          {expiresAt === null ? (
            'stays until you revoke it'
          ) : (
            <>
              ends <Moment at={expiresAt} isUpcoming /> at the latest
            </>
          )}
        </p>
      </div>
      <button
        type="button"
        class="small danger"
        aria-label={current ? 'Sign out here' : `Revoke ${client}`}
        onClick={onRevoke}
      >
        {current ? 'Sign out' : 'Revoke'}
      </button>
    </li>
  );
}
