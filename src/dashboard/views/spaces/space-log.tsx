import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { usePageList } from '../../parts/page-list.ts';
import { currentSession } from '../../session.ts';
import { describeEntry } from './space-words.ts';

const ROWS = 20;

/** Who invited, joined, changed roles, left, copied, exported and imported, the latest first. Loads again after `changes`. */
export function SpaceLog({ id, changes }: { id: string; changes: number }) {
  const { account } = currentSession();
  const list = usePageList(`log ${id} ${changes}`, (cursor, signal) =>
    account.spaces.log(id, { limit: ROWS, ...(cursor !== undefined && { cursor }) }, { signal }),
  );
  const { rows, total, error, isLoading } = list;
  return (
    <section class="card stack" aria-labelledby="space-log-title">
      <h2 id="space-log-title">Log</h2>
      <p class="hint">What members did to the space, for 400 days. Only owners see it.</p>
      {error !== undefined && <Failure error={error} onRetry={list.retry} />}
      {rows.length === 0 && isLoading && <Loading label="Loading the log" rows={3} />}
      <ol class="space-log" aria-label="Log">
        {rows.map((entry) => (
          <li key={entry.id}>
            <span class="content">
              <strong>{entry.actor}</strong> {describeEntry(entry)}
            </span>{' '}
            <span class="hint">
              <Moment isBrief at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      {total !== undefined && rows.length < total && (
        <div class="buttons">
          <button type="button" class="small" disabled={isLoading} onClick={list.loadMore}>
            Show more
          </button>
        </div>
      )}
    </section>
  );
}
