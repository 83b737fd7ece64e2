import { useEffect } from 'preact/hooks';
import { systemClock, toTimestamp, utcDay } from '../../../lib/clock.ts';
import { onChanges } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { startOfDay } from '../../plots/calendar.ts';
import { YearHeatmap } from '../../plots/year-heatmap.tsx';
import { useResource } from '../../resource.ts';
import { chosenUser, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { figuresOf } from './figures.ts';
import { FirstSteps } from './first-steps.tsx';
import { LearnedFeed } from './learned-feed.tsx';
import { SideCards } from './side-cards.tsx';
import { StatCards } from './stat-cards.tsx';

const DAY_MS = 86_400_000;
const NEWEST = 14;

/** Overview of the account: its memories, their use, and its health. */
export function View() {
  const { client } = currentSession();
  const user = chosenUser.value;
  const overview = useResource(`home ${user}`, async (signal) => {
    const ofUser = user === undefined ? {} : { user };
    const [usage, users, newest, conversations] = await Promise.all([
      client.usage.get({ days: 366 }, { signal }),
      user === undefined
        ? client.users.list({ limit: 200 }, { signal }).then(({ data }) => data)
        : client.users.get(user, { signal }).then((one) => [one]),
      client.memories.list({ limit: NEWEST, ...ofUser }, { signal }).then(({ data }) => data),
      client.conversations.list({ limit: 200, ...ofUser }, { signal }).then(({ data }) => data),
    ]);
    return { usage, users, newest, conversations };
  });
  useEffect(() => onChanges(['memory', 'conversation', 'feedback'], overview.reload), [overview.reload]);
  const nowMs = systemClock.nowMs();
  return (
    <Loaded resource={overview} label="Loading Home">
      {({ newest, ...counted }) => {
        const figures = figuresOf(counted, nowMs);
        const isEmpty = figures.memories === 0 && figures.conversations === 0;
        return (
          <div class="stack home">
            {!isEmpty && <StatCards figures={figures} />}
            <div class="home-columns">
              {isEmpty ? (
                <FirstSteps />
              ) : (
                <div class="stack">
                  <section class="card" aria-labelledby="year-title">
                    <h2 id="year-title">A year of memories</h2>
                    <YearHeatmap
                      label="Memories added by day"
                      unit={['memory', 'memories']}
                      counts={new Map(counted.usage.days.map(({ day, memories }) => [day, memories]))}
                      nowMs={nowMs}
                      hrefOfDay={(day) => hrefOf('memories', spanOfDay(day))}
                    />
                  </section>
                  <section class="card" aria-labelledby="learned-title">
                    <div class="card-head">
                      <h2 id="learned-title">
                        {newest[0]?.createdAt.startsWith(utcDay(nowMs)) ? 'Learned today' : 'Learned last'}
                      </h2>
                      <a href={hrefOf('memories')}>All memories</a>
                    </div>
                    <LearnedFeed memories={newest} />
                  </section>
                </div>
              )}
              <SideCards hasQuotas={!isEmpty} />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

/** The parameters of Memories that select what was added on a UTC day. */
function spanOfDay(day: string): { after: string; before: string } {
  const start = startOfDay(day);
  return { after: toTimestamp(start), before: toTimestamp(start + DAY_MS) };
}
