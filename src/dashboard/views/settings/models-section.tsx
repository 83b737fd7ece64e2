import { useEffect } from 'preact/hooks';
import {
  ApiError,
  type NewProviderKey,
  type Provider,
  type ProviderKey,
  type ProviderSettingsChange,
} from '../../../client/client.ts';
import { onChanges } from '../../live.ts';
import { useAttempts } from '../../parts/attempts.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { ModelsForm } from './models-form.tsx';
import { ProviderForm } from './provider-form.tsx';
import { keyLabel, ProviderKeyItem } from './provider-key-item.tsx';

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
