import type { ComponentChildren } from 'preact';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import type { EarlierSearch } from './earlier-searches.ts';
import { Ranking } from './ranking.tsx';
import { type RecallQuery, toSearchRequest } from './recall-query.ts';
import { StageBar } from './stage-bar.tsx';
import { Summary } from './summary.tsx';

interface RankingTabProps {
  asked: RecallQuery;
  user: string | undefined;
  tabs: ComponentChildren;
  earlier?: EarlierSearch;
}

/** The results of a search beside the default order. */
export function RankingTab({ asked, user, tabs, earlier }: RankingTabProps) {
  const request = toSearchRequest(asked, user);
  const found = useResource(JSON.stringify(request), (signal) => currentSession().client.search(request, { signal }));
  const shown = found.state.value.value;
  return (
    <>
      <div class="recall-head">
        {tabs}
        {shown && <Summary answer={shown} user={user} />}
      </div>
      {shown?.timings && <StageBar timings={shown.timings} />}
      <Loaded resource={found} label="Searching" rows={8}>
        {(answer) =>
          answer.results.length === 0 ? (
            <NothingFound asked={asked} user={user} />
          ) : (
            <Ranking
              key={answer.searchId}
              answer={answer}
              request={request}
              {...(earlier && { earlier })}
              onAgain={found.reload}
            />
          )
        }
      </Loaded>
    </>
  );
}

function NothingFound({ asked, user }: { asked: RecallQuery; user: string | undefined }) {
  const stored = user === undefined ? 'Nothing stored without a user' : `Nothing stored for ${user}`;
  const isFiltered = asked.minRelevance > 0 || asked.project !== undefined || asked.asOf !== undefined;
  return (
    <Empty icon="recall" title="Nothing found">
      <p>
        {isFiltered
          ? 'Nothing fits the options. Lower the least relevance, or leave out the project or the date.'
          : `${stored} shares a word or a meaning with this question. An assistant would be told nothing.`}
      </p>
      {user !== undefined && <p>A search is of one user. To ask for another, choose one above.</p>}
      {asked.strategy !== 'auto' && <p>The strategy looks at some signals only. Try the learned one.</p>}
      <a class="button" href={isFiltered ? hrefOf('recall', { q: asked.query }) : hrefOf('memories', { add: '1' })}>
        {isFiltered ? 'Search without options' : 'Add a memory'}
      </a>
    </Empty>
  );
}
