import { useSignal } from '@preact/signals';
import type { NewWebhook, Webhook } from '../../../client/client.ts';
import { useAttempts } from '../../parts/attempts.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookItem } from './webhook-item.tsx';

/** Addresses that svc posts changes to: adding, testing and removing them, and what could not be delivered. */
export function WebhooksSection() {
  const { webhooks } = currentSession().client;
  const resource = useResource('webhooks', async (signal) => (await webhooks.list({ signal })).data);
  const { attempt: run, focus, statusLine } = useAttempts(resource.reload);
  /** A secret that was just made; it is never shown again. */
  const secret = useSignal<string | undefined>(undefined);

  const attempt = (work: () => Promise<string>, asking?: string) => {
    secret.value = undefined;
    return run(work, asking);
  };
  const add = (webhook: NewWebhook) =>
    attempt(async () => {
      secret.value = (await webhooks.create(webhook)).secret;
      return 'Added. Copy the secret now: it is not shown again.';
    }).finally(focus);
  const test = ({ id }: Webhook) =>
    attempt(async () => {
      const { error, status: code } = await webhooks.test(id);
      return error ?? `The receiver answered with status ${code}.`;
    }, 'Sending…');
  const toggle = ({ id, active }: Webhook) =>
    attempt(async () => {
      await webhooks.update(id, { active: !active });
      return active ? 'Paused.' : 'Sending again.';
    });
  const rotate = async ({ id }: Webhook) => {
    const text =
      'For 24 hours requests carry a signature with the present secret, too. Change your receiver until then.';
    if (!(await confirm({ title: 'Make a new secret?', text, yes: 'Make one' }))) return;
    await attempt(async () => {
      secret.value = (await webhooks.rotateSecret(id)).secret;
      return 'Copy the new secret now: it is not shown again.';
    });
    focus();
  };
  const remove = async ({ id, url }: Webhook) => {
    const text = 'Nothing more is sent to it, and its deliveries are erased.';
    if (!(await confirm({ title: `Remove ${url}?`, text, yes: 'Remove' }))) return;
    await attempt(async () => {
      await webhooks.delete(id);
      return 'Removed.';
    });
    focus();
  };

  return (
    <section class="card stack" aria-labelledby="webhooks-title">
      <WebhookForm onAdd={add} />
      <p class="hint">
        svc posts what changes in your account to these addresses: ids and no content, signed by Standard Webhooks.
      </p>
      {statusLine}
      {secret.value !== undefined && (
        <p class="bar webhook-secret">
          <code>{secret.value}</code>
          <CopyButton text={() => secret.value ?? ''} label="Copy secret" />
        </p>
      )}
      <Loaded resource={resource}>
        {(rows) => (
          <ul class="provider-list" aria-label="Webhooks">
            {rows.map((webhook) => (
              <WebhookItem
                key={webhook.id}
                webhook={webhook}
                onTest={() => void test(webhook)}
                onToggle={() => void toggle(webhook)}
                onRotate={() => void rotate(webhook)}
                onRemove={() => void remove(webhook)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
