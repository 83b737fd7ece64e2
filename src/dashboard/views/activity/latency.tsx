import type { ActivityStats } from '../../../contract/activity.ts';
import { formatDay, formatMs } from '../../format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { LinePlot } from '../../plots/line-plot.tsx';
import type { Resource } from '../../resource.ts';

/** The median and the 95th percentile of latencies, by day. */
export function Latency({ stats }: { stats: Resource<ActivityStats> }) {
  return (
    <Loaded resource={stats} rows={3}>
      {({ days }) => {
        if (days.every(({ requests }) => requests === 0)) return null;
        return (
          <section class="card" aria-labelledby="latency-title">
            <div class="card-head">
              <h2 id="latency-title">Latency</h2>
              <span class="hint">by day, last 30 days</span>
            </div>
            <LinePlot
              label="Latency by day"
              labels={days.map(({ day }) => formatDay(day))}
              series={[
                { name: 'Median', values: days.map(({ p50 }) => p50) },
                { name: '95th percentile', values: days.map(({ p95 }) => p95) },
              ]}
              format={formatMs}
            />
          </section>
        );
      }}
    </Loaded>
  );
}
