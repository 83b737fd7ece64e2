import { useEffect } from 'preact/hooks';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { systemClock, toTimestamp, utcDay } from '../../../lib/clock.ts';
import { distinctSearches } from '../../earlier-searches.ts';
import { formatCount } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { RecentSearches } from '../../parts/recent-searches.tsx';
import { startOfDay } from '../../plots/calendar.ts';
import { YearHeatmap } from '../../plots/year-heatmap.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { figuresOf } from './figures.ts';
import { FirstSteps } from './first-steps.tsx';
import { SideCards } from './side-cards.tsx';
import { StatCards } from './stat-cards.tsx';
import { MAX_CHANGES, MAX_WAITING, WeekCard } from './week-card.tsx';

const DAY_MS = 86_400_000;
/** Longer than the year of the heatmap, whose first week is whole. */
const YEAR_MS = 380 * DAY_MS;
const SEARCHES = 6;

/** Overview of the account: what changed, what was asked, what is stored, and its health. */
export function View() {
  const { client } = currentSession();
  const user = chosenUser.value;
  const overview = useResource(`home ${user}`, async (signal) => {
    const ofUser = user === undefined ? {} : { user };
    const nowMs = systemClock.nowMs();
    const year = { after: toTimestamp(nowMs - YEAR_MS), before: toTimestamp(nowMs) };
    const changes = { orderBy: 'updatedAt' as const, includeSuperseded: true, limit: MAX_CHANGES };
    const [usage, users, changed, searches, stats, conversations, waiting] = await Promise.all([
      client.usage.get({ days: 30 }, { signal }),
      user === undefined
        ? client.users.list({ limit: 200 }, { signal }).then(({ data }) => data)
        : client.users.get(user, { signal }).then((one) => [one]),
      client.memories.list({ ...changes, ...ofUser }, { signal }).then(({ data }) => data),
      client.searches
        .list({ limit: 200, exceptClient: WEB_APP_CLIENT, ...ofUser }, { signal })
        .then(({ data }) => data),
      client.memories.stats({ ...ofUser, ...year, histogram: 'occurredAt' }, { signal }),
      client.conversations.list({ limit: 200, ...ofUser }, { signal }).then(({ data }) => data),
      client.suggestions
        .list({ state: 'open', limit: MAX_WAITING, ...ofUser }, { signal })
        .then(({ data }) => data.length),
    ]);
    return {
      usage,
      users,
      changed,
      searches: distinctSearches(searches).slice(0, SEARCHES),
      stats,
      conversations,
      waiting,
    };
  });
  useEffect(() => onChanges(['memory', 'conversation', 'feedback', 'suggestion'], overview.reload), [overview.reload]);
  const nowMs = systemClock.nowMs();
  return (
    <Loaded resource={overview} label="Loading Home">
      {({ changed, searches, stats, waiting, ...counted }) => {
        const figures = figuresOf(counted, nowMs);
        const isEmpty = figures.memories === 0 && figures.conversations === 0;
        const { days } = stats.histogram;
        return (
          <div class="home-columns home">
            {isEmpty ? (
              <FirstSteps />
            ) : (
              <div class="stack">
                <WeekCard memories={changed} waiting={waiting} />
                {searches.length > 0 && <RecentSearches searches={searches} />}
                <StatCards figures={figures} />
                {days.length > 1 && (
                  <section class="card" aria-labelledby="year-title">
                    <h2 id="year-title">A year of memories, by the date of what they tell</h2>
                    <YearHeatmap
                      label="Memories by day"
                      describe={(count) => (count === 0 ? 'no memories' : formatCount(count, 'memory', 'memories'))}
                      counts={new Map(days.map(({ day, count }) => [day, count]))}
                      nowMs={nowMs}
                      hrefOfDay={(day) => hrefOf('memories', spanOfDay(day))}
                    />
                  </section>
                )}
              </div>
            )}
            <SideCards isEmpty={isEmpty} />
          </div>
        );
      }}
    </Loaded>
  );
}

/** The parameters of Memories that select what is about a UTC day. */
function spanOfDay(day: string): { after: string; before: string } {
  const start = startOfDay(day);
  return { after: day, before: utcDay(start + DAY_MS) };
}
