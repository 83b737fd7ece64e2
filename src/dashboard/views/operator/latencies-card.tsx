import type { OperatorOverview } from '../../../contract/operator.ts';
import { formatMs, formatNumber } from '../../format.ts';

/** How long requests took since the daemon started, by route. */
export function LatenciesCard({ requests }: Pick<OperatorOverview, 'requests'>) {
  return (
    <section class="card stack" aria-labelledby="latencies-title">
      <h2 id="latencies-title">Requests since the start</h2>
      <section class="operator-scroll" aria-label="Latencies by route" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col" class="numeric is-roomy">
                Requests
              </th>
              <th scope="col" class="numeric">
                p50
              </th>
              <th scope="col" class="numeric">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {requests.map(({ method, route, count, p50Ms, p95Ms }) => (
              <tr key={`${method} ${route}`}>
                <th scope="row" class="operator-route">
                  <span class="row-meta">{method}</span> {route}
                </th>
                <td class="numeric is-roomy">{formatNumber(count)}</td>
                <td class="numeric">{formatMs(p50Ms)}</td>
                <td class="numeric">{formatMs(p95Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
