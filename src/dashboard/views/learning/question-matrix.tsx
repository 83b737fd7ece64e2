import type { Retrieval } from '../../../client/client.ts';
import { questionExample, questionLabel, signalLabel } from '../../ranking-words.ts';
import { type MatrixCell, shiftMatrix } from './shifts.ts';

/** Shows which signals count more or less for each kind of question. */
export function QuestionMatrix({ retrieval }: { retrieval: Retrieval }) {
  const { buckets, rows } = shiftMatrix(retrieval);
  if (rows.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="matrix-title">
      <div class="card-head">
        <h2 id="matrix-title">By kind of question</h2>
        <span class="matrix-legend hint">
          <span class="matrix-swatch" data-level="-4" aria-hidden="true" /> counts less
          <span class="matrix-swatch" data-level="4" aria-hidden="true" /> counts more
        </span>
      </div>
      <section class="matrix-scroll" tabIndex={0} aria-label="Changes by signal and kind of question">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">A question that …</th>
              {buckets.map((bucket) => (
                <th key={bucket} scope="col" title={questionExample(bucket)}>
                  {questionLabel(bucket)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ signal, cells }) => (
              <tr key={signal}>
                <th scope="row">{signalLabel(signal)}</th>
                {cells.map((cell, index) => (
                  <td key={buckets[index]} data-level={cell?.level ?? 0}>
                    {describeCell(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="hint">
        In standard deviations of the signal; signals without a row have not moved. Kinds share what they learn, so one
        kind moves the others a little.
      </p>
    </section>
  );
}

function describeCell(cell: MatrixCell | undefined): string {
  if (!cell) return '0';
  const size = Math.abs(cell.delta);
  if (size < 0.005) return cell.delta > 0 ? '< +0.01' : '> −0.01';
  return `${cell.delta > 0 ? '+' : '−'}${size.toFixed(2)}`;
}
