import { useEffect } from 'preact/hooks';
import {
  ApiError,
  type NewProviderKey,
  type Provider,
  type ProviderKey,
  type ProviderSettingsChange,
} from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { useAttempts } from '../../parts/attempts.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { ModelsForm } from './models-form.tsx';
import { ProviderForm } from './provider-form.tsx';

const TONES = { valid: ' is-accent', unverified: '', refused: ' is-danger' } as const;

/** `the key …cdef`, or `the key` if its last characters are not known. */
function keyLabel({ last4 }: ProviderKey): string {
  return last4 === null ? 'the key' : `the key …${last4}`;
}

interface ProviderKeyItemProps {
  providerKey: ProviderKey;
  onCheck(): void;
  onRemove(): void;
}

/** A provider key: its last characters, its status, and why the last check failed, if it did. */
function ProviderKeyItem({ providerKey, onCheck, onRemove }: ProviderKeyItemProps) {
  const { provider, last4, status, check, models, validatedAt, baseUrl } = providerKey;
  return (
    <li class="provider">
      <div class="card-head">
        <span class="bar">
          <strong>{provider}</strong>
          {last4 !== null && <code>…{last4}</code>}
          <span class={`chip${TONES[status]}`}>{status}</span>
        </span>
        <span class="bar">
          <button type="button" class="link" aria-label={`Check the key for ${provider}`} onClick={onCheck}>
            Check
          </button>
          <button type="button" class="link danger" aria-label={`Remove the key for ${provider}`} onClick={onRemove}>
            Remove
          </button>
        </span>
      </div>
      <p class="hint">
        {models.length === 0 ? 'Models unknown' : formatCount(models.length, 'model', 'models')} ·{' '}
        {validatedAt === null ? (
          'not verified yet'
        ) : (
          <>
            verified <Moment at={validatedAt} />
          </>
        )}
        {baseUrl !== null && ` · at ${baseUrl}`}
      </p>
      {check.outcome !== 'ok' && (
        <p class="caution">
          Checked <Moment at={check.at} />: {check.message}
        </p>
      )}
    </li>
  );
}

/** Provider keys, and what svc may do with them. */
export function ModelsSection() {
  const { client } = currentSession();
  const resource = useResource('models', async (signal) => {
    const [keys, settings] = await Promise.all([
      client.providerKeys.list({ signal }),
      client.providerSettings.get({ signal }),
    ]);
    return { keys: keys.data, settings };
  });
  useEffect(() => onChanges(['account'], resource.reload), []);
  // A failed check changes a key's status.
  const { attempt, focus, statusLine } = useAttempts(resource.reload);

  const put = (provider: Provider, key: NewProviderKey) =>
    attempt(async () => checkSummary(await client.providerKeys.put(provider, key)), `Asking ${provider}…`).finally(
      focus,
    );
  const check = ({ provider }: ProviderKey) =>
    attempt(async () => checkSummary(await client.providerKeys.validate(provider)), `Asking ${provider}…`);
  const remove = async (key: ProviderKey) => {
    const { provider } = key;
    const text = `svc stops using ${keyLabel(key)} immediately: jobs that need it are stopped and settings that use its models are reset. At the provider, the key stays valid until you revoke it there.`;
    if (!(await confirm({ title: `Remove the key for ${provider}?`, text, yes: 'Remove' }))) return;
    await attempt(async () => {
      await client.providerKeys.delete(provider).catch(ignoreMissing);
      return `Removed the key for ${provider}.`;
    }, 'Removing…');
    focus();
  };
  const save = (change: ProviderSettingsChange) =>
    attempt(async () => {
      await client.providerSettings.update(change);
      return 'Saved.';
    }, 'Saving…');

  return (
    <Loaded resource={resource}>
      {({ keys, settings }) => (
        <>
          <section class="card stack" aria-labelledby="providers-title">
            <ProviderForm onKey={put} />
            {keys.length === 0 && (
              <p class="hint">
                Add an API key for a model provider to search by meaning and to extract memories from conversations. svc
                checks the key with the provider, stores it encrypted, and uses it only for your account.
              </p>
            )}
            <ul class="provider-list" aria-label="Provider keys">
              {keys.map((key) => (
                <ProviderKeyItem
                  key={key.provider}
                  providerKey={key}
                  onCheck={() => void check(key)}
                  onRemove={() => void remove(key)}
                />
              ))}
            </ul>
            {statusLine}
          </section>
          <ModelsForm settings={settings} keys={keys} onSave={save} />
        </>
      )}
    </Loaded>
  );
}

function checkSummary(key: ProviderKey): string {
  const { provider, check, status } = key;
  if (check.outcome === 'ok') return `${provider} accepted ${keyLabel(key)}.`;
  return `${check.message} ${status === 'valid' ? 'It was valid before and stays in use.' : 'It was saved as unverified.'}`;
}

/** Ignores a 404: the key is already gone. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
