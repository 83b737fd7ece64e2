import type { Usage } from '../../../client/client.ts';
import { formatDay } from '../../format.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { LinePlot } from '../../plots/line-plot.tsx';
import { changeParameters } from '../../router.ts';
import { hasSeveralUsers } from '../../users.ts';
import { boundsOf, placeOf, weeklyCurve } from './learning-curve.ts';
import { PERIODS } from './periods.ts';

/** Places that the axis names: the mean reciprocal ranks of the 5th, 3rd, 2nd and 1st place, from 0. */
const STEPS = [0, 1 / 5, 1 / 3, 1 / 2, 1];
const TITLES: Record<number, string> = { 30: '30 days', 90: '90 days', 365: 'A year' };
const TABS = PERIODS.map((days) => ({ name: String(days), title: TITLES[days]! }));

/** The place of the useful result with learning and without, over time. */
export function Curve({ usage, days }: { usage: Usage; days: number }) {
  const dates = usage.days.map(({ day }) => day);
  const points = weeklyCurve(dates, usage.learning);
  const first = Math.max(0, points.findIndex((point) => point !== undefined) - 1);
  const shown = points.slice(first);
  return (
    <section class="card stack" aria-labelledby="curve-title">
      <div class="card-head">
        <h2 id="curve-title">Place of the useful result</h2>
        <Tabs
          label="Period"
          tabs={TABS}
          chosen={String(days)}
          onChoose={(name) => changeParameters({ days: name === '30' ? undefined : name })}
        />
      </div>
      {shown.some((point) => point !== undefined) ? (
        <LinePlot
          label="Typical place of the useful result by day"
          labels={dates.slice(first).map(formatDay)}
          steps={STEPS}
          format={formatStep}
          series={[
            {
              name: 'With learning',
              values: shown.map((point) => point?.shown ?? null),
              band: shown.map((point) => (point ? boundsOf(point.shown, point.feedbacks) : null)),
            },
            { name: 'Default order', values: shown.map((point) => point?.byDefault ?? null) },
          ]}
        />
      ) : (
        <p class="hint">No search named a useful result in this time. Choose a longer one.</p>
      )}
      <p class="hint">
        Higher is better; each point is the mean of the week up to it{hasSeveralUsers.value && ', over all users'}. The
        band holds the true mean with 95% probability: it is wide where there is little feedback.
      </p>
    </section>
  );
}

function formatStep(meanReciprocalRank: number): string {
  const place = placeOf(meanReciprocalRank);
  if (!Number.isFinite(place)) return 'none';
  return `place ${place.toFixed(Math.abs(place - Math.round(place)) < 0.001 ? 0 : 1)}`;
}
