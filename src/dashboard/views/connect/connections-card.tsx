import { useEffect } from 'preact/hooks';
import type { Connection } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { onChanges } from '../../live.ts';
import { type ConfirmationRequest, confirm } from '../../parts/confirmation.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { showToast } from '../../parts/toasts.tsx';
import { currentSession, endSessionOn, signOut } from '../../session.ts';
import { joinedSpaces, OWN_MEMORY } from '../../space.ts';
import { DeviceCodeForm } from './allow-device.tsx';
import { connectionLines } from './connection-lines.ts';

const KINDS: Record<Connection['kind'], string> = { page: 'Browser', device: 'Device', oauth: 'Assistant' };

/** Lists the connections that may use the account besides its API key. Each can be revoked separately. */
export function ConnectionsCard() {
  const { client } = currentSession();
  const list = usePageList<Connection>('connections', (cursor, signal) =>
    client.connections.list({ limit: 200, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  useEffect(() => onChanges(['account'], list.reload), []);
  const end = async (question: ConfirmationRequest, ended: readonly Connection[], done: string) => {
    if (!(await confirm(question))) return;
    try {
      if (ended.some(({ current }) => current)) return await signOut();
      for (const { id } of ended) await client.connections.delete(id);
      showToast(done);
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    list.reload();
  };
  const bind = async ({ id, client: name }: Connection, space: string | null) => {
    try {
      const { client: bound } = await client.connections.update(id, { space });
      showToast(space === null ? `${bound} acts wherever you may.` : `${bound} acts in that space only.`);
    } catch (error) {
      endSessionOn(error);
      showToast(`${name}: ${describeError(error)}`, 'error');
    }
    list.reload();
  };
  const others = list.rows.filter(({ kind, current }) => kind === 'page' && !current);
  return (
    <section class="card stack" aria-labelledby="connections-title">
      <h2 id="connections-title">Connections</h2>
      <DeviceCodeForm />
      <p class="hint">What is signed in besides the API key. Replacing the key leaves these connected.</p>
      {list.error !== undefined && <Failure error={list.error} onRetry={list.reload} />}
      {list.total === undefined && list.isLoading && <Loading rows={2} />}
      {list.total === 0 && <p class="hint">Nothing. This page uses the API key.</p>}
      <ul class="connection-list" aria-label="Connections">
        {connectionLines(list.rows).map((line) => (
          <ConnectionRow
            key={line[0].id}
            line={line}
            onBind={(space) => void bind(line[0], space)}
            onRevoke={() => void end(questionOf(line[0], line.length), line, `Revoked ${line[0].client}.`)}
          />
        ))}
      </ul>
      {others.length > 1 && (
        <div class="buttons">
          <button
            type="button"
            class="small danger"
            onClick={() => void end(OTHERS, others, 'Signed out all other browsers.')}
          >
            Sign out all other browsers
          </button>
        </div>
      )}
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

const OTHERS: ConfirmationRequest = {
  title: 'Sign out all other browsers?',
  text: 'Each asks to sign in again. Devices and assistants stay connected.',
  yes: 'Sign out',
};

function questionOf({ client, kind, current }: Connection, count: number): ConfirmationRequest {
  if (current) return { title: 'Sign out here?', text: 'This page asks you to sign in again.', yes: 'Sign out' };
  const text = count > 1 ? `Its ${count} sessions are signed out immediately.` : EFFECTS[kind];
  return { title: `Revoke ${client}?`, text, yes: 'Revoke' };
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

interface ConnectionRowProps {
  /** A connection, or the sessions of one browser, the last used first. */
  line: [Connection, ...Connection[]];
  onRevoke(): void;
  /** Lets it act in the space with this id only. */
  onBind(space: string | null): void;
}

/** Chooses the only space in which a device or an assistant acts. */
function SpaceChoice({ line: [{ client, space }], onBind }: Pick<ConnectionRowProps, 'line' | 'onBind'>) {
  const spaces = joinedSpaces.value;
  const isLost = space !== null && !spaces.some(({ id }) => id === space);
  return (
    <label class="bar hint">
      Acts in{' '}
      <select
        aria-label={`Space of ${client}`}
        value={space ?? ''}
        onChange={({ currentTarget: { value } }) => onBind(value === '' ? null : value)}
      >
        <option value="">{OWN_MEMORY} and every space</option>
        {spaces.map(({ id, name }) => (
          <option key={id} value={id}>
            only {name}
          </option>
        ))}
        {isLost && <option value={space}>a space that you left</option>}
      </select>
    </label>
  );
}

function ConnectionRow({ line, onRevoke, onBind }: ConnectionRowProps) {
  const { space, client, kind, verifiedHost, address, current, createdAt, lastUsedAt, expiresAt } = line[0];
  return (
    <li class="connection">
      <div>
        <p class="bar">
          <strong>{client}</strong>
          <span class="chip">{KINDS[kind]}</span>
          {line.length > 1 && <span class="chip">{line.length} sessions</span>}
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
        {kind !== 'page' && (joinedSpaces.value.length > 0 || space !== null) && (
          <SpaceChoice line={line} onBind={onBind} />
        )}
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
