import { useSignal } from '@preact/signals';
import type { Webhook } from '../../../client/client.ts';
import { describeError } from '../../errors.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { currentSession, endSessionOn } from '../../session.ts';

interface WebhookItemProps {
  webhook: Webhook;
  onTest(): void;
  onToggle(): void;
  onRotate(): void;
  onRemove(): void;
}

/** A webhook: whether it works, what can be done with it, and its failed deliveries on request. */
export function WebhookItem({ webhook, onTest, onToggle, onRotate, onRemove }: WebhookItemProps) {
  const { id, url, events, user, active, lastDeliveredAt, lastFailure } = webhook;
  const isOpen = useSignal(false);
  const actions = [
    { label: 'Test', act: onTest },
    { label: active ? 'Pause' : 'Resume', act: onToggle },
    { label: 'New secret', act: onRotate },
  ];
  return (
    <li class="provider">
      <p class="bar">
        <strong>{url}</strong>
        <span class={`chip${active ? ' is-accent' : ''}`}>{active ? 'active' : 'paused'}</span>
      </p>
      <p class="hint">
        {events === null ? 'All events' : events.join(', ')}
        {user !== null && ` of ${user}`} ·{' '}
        {lastDeliveredAt === null ? (
          'nothing delivered yet'
        ) : (
          <>
            delivered <Moment at={lastDeliveredAt} />
          </>
        )}
      </p>
      {lastFailure !== null && (
        <p class="caution">
          Failed <Moment at={lastFailure.at} />: {lastFailure.message}
        </p>
      )}
      <p class="bar">
        {actions.map(({ label, act }) => (
          <button key={label} type="button" class="link" aria-label={`${label}: ${url}`} onClick={act}>
            {label}
          </button>
        ))}
        <button type="button" class="link danger" aria-label={`Remove: ${url}`} onClick={onRemove}>
          Remove
        </button>
      </p>
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>Failed deliveries</summary>
        {isOpen.value && <FailedDeliveries id={id} />}
      </details>
    </li>
  );
}

/** The latest deliveries that svc has given up, each of which can be sent again. */
function FailedDeliveries({ id }: { id: string }) {
  const { deliveries } = currentSession().client.webhooks;
  const resource = useResource(`failed ${id}`, async (signal) => {
    return (await deliveries.list(id, { state: 'failed', limit: 20 }, { signal })).data;
  });
  const replay = async (deliveryId: string) => {
    try {
      const { error } = await deliveries.replay(id, deliveryId);
      if (error === null) showToast('Delivered.');
      else showToast(error, 'error');
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    resource.reload();
  };
  return (
    <Loaded resource={resource}>
      {(rows) =>
        rows.length === 0 ? (
          <p class="hint">None.</p>
        ) : (
          <ul aria-label="Failed deliveries">
            {rows.map(({ id: deliveryId, type, itemId, createdAt, error }) => (
              <li key={deliveryId} class="provider">
                <p class="bar">
                  <strong>{type}</strong>
                  {itemId !== null && <code>{itemId}</code>}
                  <button
                    type="button"
                    class="link"
                    aria-label={`Replay ${type} ${itemId ?? ''}`}
                    onClick={() => void replay(deliveryId)}
                  >
                    Replay
                  </button>
                </p>
                <p class="hint">
                  <Moment at={createdAt} /> · {error}
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
