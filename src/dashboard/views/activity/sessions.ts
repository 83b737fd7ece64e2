import type { StoredSearch } from '../../../client/client.ts';
import type { ActivityEntry } from '../../../contract/activity.ts';
import { parseTimestamp } from '../../../lib/clock.ts';

/** What a client did, once or several times in a row. */
export interface Deed {
  kind: 'asked' | 'remembered' | 'corrected' | 'forgot' | 'told';
  at: string;
  /** What was found or written, without repeats: the first 20 of each request. */
  ids: string[];
  /** How many were found or written beyond those. */
  more: number;
  /** The search of `asked`, while it is stored. */
  search?: StoredSearch;
}

/** What one client of one member did without a longer break, latest first. */
export interface Session {
  title: string;
  /** The member of a space who used the client. */
  author: string | null;
  deeds: Deed[];
  startedAt: string;
  endedAt: string;
}

/** A longer break ends a session. */
const BREAK_MS = 30 * 60_000;

const KINDS: Record<string, Deed['kind']> = {
  memory_search: 'asked',
  memory_context: 'asked',
  'POST /v1/search': 'asked',
  'POST /v1/context': 'asked',
  memory_add: 'remembered',
  'POST /v1/memories': 'remembered',
  'POST /v1/memories/batch': 'remembered',
  'PUT /v1/memories/external/{externalId}': 'remembered',
  memory_update: 'corrected',
  'PATCH /v1/memories/{id}': 'corrected',
  'POST /v1/memories/update': 'corrected',
  memory_delete: 'forgot',
  'DELETE /v1/memories/{id}': 'forgot',
  'POST /v1/memories/delete': 'forgot',
  'POST /v1/remember': 'told',
  'POST /v1/conversations/{id}/messages': 'told',
};

/**
 * Groups requests into sessions by client and member, the latest first. `entries` are in order, latest first; those that failed or
 * only looked something up are left out. `titleOf` names a client.
 */
export function sessionsOf(
  entries: readonly ActivityEntry[],
  searches: readonly StoredSearch[],
  titleOf: (client: string) => string,
): Session[] {
  const searchById = new Map(searches.map((search) => [search.id, search]));
  const sessions: Session[] = [];
  const open = new Map<string, Session>();
  for (const { client, transport, method, route, status, at, ids, itemCount, searchId, author } of entries) {
    const kind = KINDS[transport === 'mcp' ? route : `${method} ${route}`];
    // A trial run of a bulk call writes nothing.
    const wroteNothing = itemCount === 0 && kind !== 'asked';
    if (kind === undefined || status >= 400 || wroteNothing) continue;
    const title = titleOf(client);
    const key = JSON.stringify([title, author]);
    let session = open.get(key);
    if (!session || timeOf(session.startedAt) - timeOf(at) > BREAK_MS) {
      session = { title, author, deeds: [], startedAt: at, endedAt: at };
      open.set(key, session);
      sessions.push(session);
    }
    session.startedAt = at;
    const search = searchId === null ? undefined : searchById.get(searchId);
    const more = (itemCount ?? ids.length) - ids.length;
    addDeed(session.deeds, { kind, at, ids, more, ...(search && { search }) });
  }
  return sessions;
}

/** Adds a deed, or joins it with the one before if both did the same. Each question stands alone. */
function addDeed(deeds: Deed[], deed: Deed): void {
  const last = deeds.at(-1);
  if (last?.kind === deed.kind && deed.kind !== 'asked') {
    last.ids = [...new Set([...last.ids, ...deed.ids])];
    last.more += deed.more;
  } else deeds.push({ ...deed, ids: [...deed.ids] });
}

function timeOf(at: string): number {
  return parseTimestamp(at) ?? 0;
}
