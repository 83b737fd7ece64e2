import type { Retrieval } from '../../../client/client.ts';
import { formatFigure } from '../../format.ts';
import { signalLabel } from '../../ranking-words.ts';
import { userPhrase } from '../../users.ts';
import { rangeOf, type Shift, shiftsOf } from './shifts.ts';

/** How far each weight is from its default: to the right counts more, to the left less. */
export function WeightPlot({ retrieval }: { retrieval: Retrieval }) {
  const shifts = shiftsOf(retrieval);
  const range = rangeOf(shifts);
  const unchanged = Object.keys(retrieval.signals).filter((name) => !shifts.some(({ signal }) => signal === name));
  return (
    <section class="card stack" aria-labelledby="weights-title">
      <div class="card-head">
        <h2 id="weights-title">What counts more or less{userPhrase('for', retrieval.user)}</h2>
        <span class="hint">mean weight over all kinds of questions</span>
      </div>
      {shifts.length === 0 ? (
        <p class="hint">No weight has moved visibly yet.</p>
      ) : (
        <table class="weight-plot">
          <thead>
            <tr>
              <th scope="col">Signal</th>
              <th scope="col">
                <span class="weight-scale">
                  <span>less</span>
                  <span>default</span>
                  <span>more</span>
                </span>
              </th>
              <th scope="col" class="numeric">
                Default → now
              </th>
            </tr>
          </thead>
          <tbody>
            {shifts.map((shift) => (
              <tr key={shift.signal}>
                <th scope="row">{signalLabel(shift.signal)}</th>
                <td class="weight-cell">
                  <WeightDot shift={shift} range={range} />
                </td>
                <td class="numeric">
                  {formatFigure(shift.defaultWeight)} → <strong>{formatFigure(shift.weight)}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {unchanged.length > 0 && <p class="hint">Unchanged: {unchanged.map(signalLabel).join(', ')}.</p>}
    </section>
  );
}

/** A dot at the change, joined to the default in the middle. */
function WeightDot({ shift: { change }, range }: { shift: Shift; range: number }) {
  const middle = 50;
  const at = middle + (change / range) * (middle - 3);
  return (
    <svg class={`weight-dot ${change > 0 ? 'is-more' : 'is-less'}`} aria-hidden="true" focusable="false">
      <line class="weight-axis" x1="0" x2="100%" y1="50%" y2="50%" />
      <line class="weight-default" x1="50%" x2="50%" y1="15%" y2="85%" />
      <line class="weight-change" x1="50%" x2={`${at}%`} y1="50%" y2="50%" />
      <circle cx={`${at}%`} cy="50%" r="5" />
    </svg>
  );
}
