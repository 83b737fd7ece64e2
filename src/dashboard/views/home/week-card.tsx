import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { Memory } from '../../../client/client.ts';
import { systemClock } from '../../../lib/clock.ts';
import { formatCount, formatDayName } from '../../format.ts';
import { hrefOf } from '../../router.ts';
import { areOwnersShown } from '../../users.ts';
import { type ChangeOfMemory, type Week, weekOf } from './week.ts';

const SHOWN = 8;
/** More changes than this are not counted. */
export const MAX_CHANGES = 200;
/** More suggestions than this are not counted. */
export const MAX_WAITING = 100;

/** What changed within a week, in a sentence and by day. `memories` are in the order of their change, latest first; `waiting` suggestions are open. */
export function WeekCard({ memories, waiting }: { memories: readonly Memory[]; waiting: number }) {
  const week = weekOf(memories, systemClock.nowMs(), formatDayName);
  return (
    <section class="card stack" aria-labelledby="week-title">
      <div class="card-head">
        <h2 id="week-title">This week</h2>
        <a href={hrefOf('memories', { orderBy: 'updatedAt' })}>All changes</a>
      </div>
      <p>{describeWeek(week, memories.length === MAX_CHANGES)}</p>
      {waiting > 0 && (
        <p>
          <a href={hrefOf('review')}>
            {waiting === MAX_WAITING ? 'At least ' : ''}
            {formatCount(waiting, 'suggestion waits', 'suggestions wait')} for you
          </a>
        </p>
      )}
      <Days days={week.days} />
    </section>
  );
}

function describeWeek({ counts, days }: Week, isCut: boolean): string {
  if (days.length === 0) return 'Nothing changed in the last 7 days.';
  const parts = [
    ...(counts.added > 0 ? [`${formatCount(counts.added, 'memory', 'memories')} added`] : []),
    ...(counts.corrected > 0 ? [`${counts.corrected} corrected`] : []),
    ...(counts.replaced > 0 ? [`${counts.replaced} replaced by newer ones`] : []),
  ];
  return `${isCut ? 'At least ' : ''}${parts.join(', ')} in the last 7 days.`;
}

/** The latest changes, under the day of each. */
function Days({ days }: Pick<Week, 'days'>) {
  let left = SHOWN;
  return (
    <div class="stack">
      {days.map(({ title, changes }) => {
        const shown = changes.slice(0, left);
        left -= shown.length;
        if (shown.length === 0) return null;
        return (
          <section key={title}>
            <h3 class="hint">{title}</h3>
            <ol class="feed">
              {shown.map((one) => (
                <li key={one.memory.id}>
                  <Change {...one} />
                </li>
              ))}
            </ol>
          </section>
        );
      })}
    </div>
  );
}

function Change({ memory, change }: { memory: Memory; change: ChangeOfMemory }) {
  const { id, content, user, project, client, source, author } = memory;
  return (
    <a class="feed-item" href={hrefOf('memories', { id })}>
      <span class={`row-text${change === 'replaced' ? ' is-past' : ''}`}>{content}</span>
      <span class="row-meta">
        {change !== 'added' && <span class="chip">{change}</span>}
        {areOwnersShown.value && <span class="chip">{user}</span>}
        {source?.conversationId && <span class="chip is-accent">from a conversation</span>}
        {[author, project, client && titleOfClient(client)].filter(Boolean).join(' · ')}
      </span>
    </a>
  );
}
