import type { Retrieval } from '../../../client/client.ts';
import { formatProbability } from '../../format.ts';
import { describeTrust, trustOf } from './trust.ts';

/** How far each way to rank is trusted. */
export function MixtureBar({ retrieval }: { retrieval: Retrieval }) {
  const trusts = trustOf(retrieval);
  return (
    <section class="card stack" aria-labelledby="mixture-title">
      <h2 id="mixture-title">Who decides the order</h2>
      <p>{describeTrust(retrieval)}</p>
      <div class="mixture-bar" aria-hidden="true">
        {trusts.map(({ expert, share }) => (
          <span key={expert} class={`expert-${expert}`} style={{ inlineSize: `${share * 100}%` }} />
        ))}
      </div>
      <dl class="mixture-legend">
        {trusts.map(({ expert, label, share }) => (
          <div key={expert}>
            <dt>
              <span class={`mixture-color expert-${expert}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>{formatProbability(share)}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        After each feedback, whatever predicted the useful result better gains trust. Random feedback strengthens
        chance, which changes nothing.
      </p>
    </section>
  );
}
