import type { ImportReport } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { describeCounts } from './transfer-counts.ts';

const SHOWN_REASONS = 50;

interface ReportCardProps {
  name: string;
  report: ImportReport | undefined;
  /** Why the import stopped early. */
  error: string | undefined;
  onAgain(): void;
}

/** Report of an import: what was added, what was known, and what was left out and why. */
export function ReportCard({ name, report, error, onAgain }: ReportCardProps) {
  return (
    <>
      <div class="stack" role="status">
        {error !== undefined && (
          <p class="notice is-error">
            {error} {report && 'Import the same file again later: what is stored already is not added twice.'}
          </p>
        )}
        {report && <Report name={name} report={report} isPartial={error !== undefined} />}
      </div>
      <div class="buttons">
        <button type="button" class="primary" onClick={onAgain}>
          Import another file
        </button>
        <a class="button" href={hrefOf('memories')}>
          Show memories
        </a>
      </div>
    </>
  );
}

function Report({ name, report, isPartial }: { name: string; report: ImportReport; isPartial: boolean }) {
  const { added, known, skipped, reasons, complete } = report;
  const hasKnown = Object.values(known).some((count) => count > 0);
  return (
    <>
      <p>
        <strong>
          Imported {describeCounts(added)} from <span class="content">{name}</span>.
        </strong>
      </p>
      {hasKnown && <p>Already stored: {describeCounts(known)}.</p>}
      {!complete && !isPartial && <p class="caution">The file is truncated: its last line is missing.</p>}
      {skipped > 0 && (
        <details open={reasons.some(({ fault }) => fault)}>
          <summary>{formatCount(skipped, 'entry', 'entries')} left out</summary>
          <div class="table-scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Where</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {reasons.slice(0, SHOWN_REASONS).map(({ place, reason }, index) => (
                  <tr key={index}>
                    <td class="content">{place}</td>
                    <td class="content">{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {skipped > SHOWN_REASONS && <p class="hint">and {formatCount(skipped - SHOWN_REASONS, 'more', 'more')}</p>}
        </details>
      )}
    </>
  );
}
