import type { ProviderKey } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';

const TONES = { valid: ' is-accent', unverified: '', refused: ' is-danger' } as const;

/** `the key …cdef`, or `the key` if its last characters are not known. */
export function keyLabel({ last4 }: ProviderKey): string {
  return last4 === null ? 'the key' : `the key …${last4}`;
}

interface ProviderKeyItemProps {
  providerKey: ProviderKey;
  onCheck(): void;
  onRemove(): void;
}

/** A provider key: its last characters, its status, and why the last check failed, if it did. */
export function ProviderKeyItem({ providerKey, onCheck, onRemove }: ProviderKeyItemProps) {
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
