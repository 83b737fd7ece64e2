import { useEffect } from 'preact/hooks';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { formatBrief, formatCount } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Author } from '../../parts/author.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { outcomeOf } from '../../parts/outcome.ts';
import { useResource } from '../../resource.ts';
import { hrefOf, hrefWith, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { hrefOfConnecting } from '../../space.ts';
import { hrefOfId } from './activity-filter.ts';
import { type Deed, type Session, sessionsOf } from './sessions.ts';

/** As many as the API returns at once. */
const REQUESTS = 200;
const SHOWN_DEEDS = 12;

/** What assistants and programs did lately, in words: by client, without longer breaks. */
export function SessionList() {
  const { client } = currentSession();
  const only = parameters.value.get('client');
  const loaded = useResource(`sessions ${only}`, async (signal) => {
    const chosen = only === null ? { exceptClient: WEB_APP_CLIENT } : { client: only };
    const [entries, searches] = await Promise.all([
      client.activity.list({ ...chosen, limit: REQUESTS }, { signal }).then(({ data }) => data),
      client.searches.list({ limit: REQUESTS }, { signal }).then(({ data }) => data),
    ]);
    return { sessions: sessionsOf(entries, searches, titleOfClient), isCut: entries.length === REQUESTS };
  });
  useEffect(() => onChanges(['memory', 'conversation', 'feedback'], loaded.reload), [loaded.reload]);
  return (
    <Loaded resource={loaded} label="Loading what happened">
      {({ sessions, isCut }) => (
        <>
          {sessions.length === 0 && <NothingYet />}
          {sessions.map((session) => (
            <SessionCard key={`${session.title} ${session.author} ${session.endedAt}`} session={session} />
          ))}
          <p class="hint">
            Questions are kept for 24 hours{isCut && `; this goes back ${REQUESTS} requests`}. The{' '}
            <a href={hrefWith({ tab: 'requests' })}>log</a> goes back 30 days, without what was asked.
          </p>
        </>
      )}
    </Loaded>
  );
}

function SessionCard({ session: { title, author, deeds, startedAt, endedAt } }: { session: Session }) {
  const [started, ended] = [startedAt, endedAt].map((at) => formatBrief(parseTimestamp(at) ?? 0));
  return (
    <section class="card stack">
      <div class="card-head">
        <h2>
          {title} <Author of={author} />
        </h2>
        <span class="hint">
          {started !== ended && `${started} – `}
          <Moment isBrief at={endedAt} />
        </span>
      </div>
      <ul class="deeds">
        {deeds.slice(0, SHOWN_DEEDS).map((deed, index) => (
          <li key={index}>
            <DeedLine deed={deed} />
          </li>
        ))}
      </ul>
      {deeds.length > SHOWN_DEEDS && <p class="hint">and {deeds.length - SHOWN_DEEDS} more before</p>}
    </section>
  );
}

const VERBS = { remembered: 'Remembered', corrected: 'Corrected', forgot: 'Forgot' };

function DeedLine({ deed }: { deed: Deed }) {
  const { kind, ids, more, search } = deed;
  if (kind === 'asked') {
    const { used } = search ? outcomeOf(search) : { used: 0 };
    const got = search ? search.results.length : ids.length + more;
    return (
      <>
        Asked{' '}
        {search?.query ? (
          <a class="content" href={hrefOf('recall', { searchId: search.id })}>
            “{search.query}”
          </a>
        ) : (
          'something'
        )}
        , got {got === 0 ? 'nothing' : got}
        {used > 0 && `, used ${used}`}
      </>
    );
  }
  const [first] = ids;
  const href = first === undefined ? undefined : hrefOfId(first);
  if (kind === 'told') return <>Stored messages of {href ? <a href={href}>a conversation</a> : 'a conversation'}</>;
  const count = ids.length + more;
  const what = count === 0 ? 'memories' : formatCount(count, 'memory', 'memories');
  return (
    <>
      {VERBS[kind]} {href && count === 1 && kind !== 'forgot' ? <a href={href}>a memory</a> : what}
    </>
  );
}

function NothingYet() {
  return (
    <Empty icon="activity" title="Nothing happened yet">
      <p>What your assistants and programs ask and remember appears here as it happens.</p>
      <p>
        <a class="button primary" href={hrefOfConnecting()}>
          Connect an assistant
        </a>
      </p>
    </Empty>
  );
}
