import type { Retrieval, Usage } from '../../../client/client.ts';
import { formatDay, formatShare } from '../../format.ts';
import { AreaPlot } from '../../plots/area-plot.tsx';
import { userPhrase } from '../../users.ts';
import { mixtureByDay } from './mixture-history.ts';

/** How far each way to rank was trusted, over time. */
export function MixturePlot({ retrieval, usage }: { retrieval: Retrieval; usage: Usage }) {
  const { days, experts } = mixtureByDay(
    retrieval.history ?? [],
    usage.days.map(({ day }) => day),
  );
  return (
    <section class="card stack" aria-labelledby="trust-title">
      <h2 id="trust-title">Who decided, over time</h2>
      {days.length === 0 ? (
        <p class="hint">The next feedback{userPhrase('of', retrieval.user)} starts this plot.</p>
      ) : (
        <>
          <AreaPlot
            label="Trust in each way to rank by day"
            labels={days.map(formatDay)}
            series={experts.map(({ expert, label, shares }) => ({
              name: label,
              values: shares,
              class: `expert-${expert}`,
            }))}
            format={formatShare}
          />
          <p class="hint">
            After the last feedback{userPhrase('of', retrieval.user)} of each day. Days without feedback change nothing.
          </p>
        </>
      )}
    </section>
  );
}
