import type { ViewName } from '../../../contract/view-names.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { Sparkline } from '../../plots/sparkline.tsx';
import { hrefOf } from '../../router.ts';
import type { Figures } from './figures.ts';

interface StatCardProps {
  view: ViewName;
  title: string;
  value: string;
  note: string;
  values: readonly number[];
}

function StatCard({ view, title, value, note, values }: StatCardProps) {
  return (
    <li>
      <a class="card stat" href={hrefOf(view)}>
        <span class="stat-title">{title}</span>
        <strong class="stat-value">{value}</strong>
        <Sparkline values={values} />
        <span class="hint">{note}</span>
      </a>
    </li>
  );
}

/** Cards that count stored items, searches, and searches that helped. */
export function StatCards({ figures }: { figures: Figures }) {
  const added = figures.memoriesByDay.reduce((total, value) => total + value, 0);
  return (
    <ul class="stats" aria-label="Figures of the last 30 days">
      <StatCard
        view="memories"
        title="Memories"
        value={formatNumber(figures.memories)}
        note={`${formatNumber(added)} added in 30 days`}
        values={figures.memoriesByDay}
      />
      <StatCard
        view="conversations"
        title="Conversations"
        value={formatNumber(figures.conversations)}
        note={formatCount(figures.messages, 'message', 'messages')}
        values={figures.conversationsByDay}
      />
      <StatCard
        view="recall"
        title="Searches"
        value={formatNumber(figures.searches)}
        note="in 30 days"
        values={figures.searchesByDay}
      />
      <StatCard
        view="learning"
        title="Useful searches"
        value={formatNumber(figures.useful)}
        note="told which result helped"
        values={figures.usefulByDay}
      />
    </ul>
  );
}
