import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  ApiError,
  type NewProviderKey,
  type Provider,
  type ProviderKey,
  type ProviderSettingsChange,
} from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { onChanges } from '../../live.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { ModelsForm } from './models-form.tsx';
import { ProviderForm } from './provider-form.tsx';
import { keyLabel, ProviderKeyItem } from './provider-key-item.tsx';

interface Status {
  text: string;
  failed: boolean;
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
  const status = useSignal<Status>({ text: '', failed: false });
  const statusLine = useRef<HTMLParagraphElement>(null);

  /** Runs a call and shows its outcome. Returns whether it succeeded. Reloads either way: a failed check changes a key's status. */
  const attempt = async (asking: string, work: () => Promise<string>): Promise<boolean> => {
    status.value = { text: asking, failed: false };
    try {
      status.value = { text: await work(), failed: false };
      return true;
    } catch (error) {
      endSessionOn(error);
      status.value = { text: describeError(error), failed: true };
      return false;
    } finally {
      resource.reload();
    }
  };
  const put = (provider: Provider, key: NewProviderKey) =>
    attempt(`Asking ${provider}…`, async () => checkSummary(await client.providerKeys.put(provider, key))).finally(() =>
      statusLine.current?.focus(),
    );
  const check = ({ provider }: ProviderKey) =>
    attempt(`Asking ${provider}…`, async () => checkSummary(await client.providerKeys.validate(provider)));
  const remove = async (key: ProviderKey) => {
    const { provider } = key;
    const text = `svc stops using ${keyLabel(key)} immediately: jobs that need it are stopped and settings that use its models are reset. At the provider, the key stays valid until you revoke it there.`;
    if (!(await confirm({ title: `Remove the key for ${provider}?`, text, yes: 'Remove' }))) return;
    await attempt('Removing…', async () => {
      await client.providerKeys.delete(provider).catch(ignoreMissing);
      return `Removed the key for ${provider}.`;
    });
    statusLine.current?.focus();
  };
  const save = (change: ProviderSettingsChange) =>
    attempt('Saving…', async () => {
      await client.providerSettings.update(change);
      return 'Saved.';
    });

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
            <p
              ref={statusLine}
              class={`provider-status${status.value.failed ? ' error' : ''}`}
              role="status"
              tabIndex={-1}
            >
              {status.value.text}
            </p>
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
