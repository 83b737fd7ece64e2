import type { Client } from '../../client/client.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { RecentIds } from './recent-ids.ts';
import { shortId } from './short-id.ts';

const LARGEST_PAGE = 200;

/** A kind of resource whose ids can be abbreviated. */
export interface IdKind {
  prefix: string;
  one: string;
  many: string;
  /** A sentence that says where to find its ids. */
  shownBy: string;
  /** Newest first. */
  all(client: Client): AsyncIterable<{ id: string }>;
}

export const MEMORY: IdKind = {
  prefix: 'mem',
  one: 'memory',
  many: 'memories',
  shownBy: 'Run svc list to see them.',
  all: (client) => client.memories.list({ includeSuperseded: true, limit: LARGEST_PAGE }),
};
export const CONVERSATION: IdKind = {
  prefix: 'conv',
  one: 'conversation',
  many: 'conversations',
  shownBy: 'Run svc conversations to see them.',
  all: (client) => client.conversations.list({ limit: LARGEST_PAGE }),
};
export const EPISODE: IdKind = {
  prefix: 'ep',
  one: 'episode',
  many: 'episodes',
  shownBy: 'Run svc episodes to see them.',
  all: (client) => client.episodes.list({ limit: LARGEST_PAGE }),
};
export const JOB: IdKind = {
  prefix: 'job',
  one: 'job',
  many: 'jobs',
  shownBy: 'Run svc jobs to see them.',
  all: (client) => client.jobs.list({ limit: LARGEST_PAGE }),
};
export const SUGGESTION: IdKind = {
  prefix: 'sug',
  one: 'suggestion',
  many: 'suggestions',
  shownBy: 'Run svc review to see them.',
  all: (client) => client.suggestions.list({ limit: LARGEST_PAGE }),
};
export const CONNECTION: IdKind = {
  prefix: 'con',
  one: 'connection',
  many: 'connections',
  shownBy: 'Run svc connections to see them.',
  all: (client) => client.connections.list({ limit: LARGEST_PAGE }),
};

const PART = /^[0-9a-f]{4,32}$/;
const FULL_LENGTH = 32;
/** A part this long is unique in practice, because ids are random. */
const UNIQUE_LENGTH = 8;
/** How many of the newest ids are searched: 25 requests of 200. */
const MAX_SEARCHED = 5000;

/**
 * Resolves what the user typed to a full id: the id itself, or its beginning or end as lists show it. Throws
 * `CommandFailure` if it matches none or several, or cannot be part of an id.
 */
export async function findId(typed: string, client: Client, recentIds: RecentIds, kind = MEMORY): Promise<string> {
  const start = `${kind.prefix}_`;
  const text = typed.trim().toLowerCase();
  const part = text.startsWith(start) ? text.slice(start.length) : text;
  if (!PART.test(part)) {
    throw new CommandFailure(EXIT.usage, `${JSON.stringify(typed)} is not a ${kind.one} id. ${kind.shownBy}`);
  }
  if (part.length === FULL_LENGTH) return start + part;
  const matches = (id: string) =>
    id.startsWith(start + part) || (text === part && isOfKind(kind, id) && id.endsWith(part));
  const shown = (await recentIds.list()).filter(matches);
  if (part.length >= UNIQUE_LENGTH && shown.length === 1) return shown[0]!;
  const found = new Set(shown);
  let searched = 0;
  for await (const { id } of kind.all(client)) {
    if (matches(id)) found.add(id);
    searched += 1;
    if (searched >= MAX_SEARCHED) break;
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  const message = id === undefined ? notFoundText(typed, kind, searched) : ambiguousText(typed, kind, [id, ...others]);
  throw new CommandFailure(EXIT.failed, message);
}

function isOfKind({ prefix }: IdKind, id: string): boolean {
  return id.startsWith(`${prefix}_`);
}

function notFoundText(typed: string, { one, many, shownBy }: IdKind, searched: number): string {
  if (searched < MAX_SEARCHED) return `No ${one}'s id begins or ends with ${typed}. ${shownBy}`;
  return `None of the newest ${MAX_SEARCHED} ${many} has an id that begins or ends with ${typed}. Give the full id, which --json shows.`;
}

function ambiguousText(typed: string, { many }: IdKind, ids: readonly string[]): string {
  const examples = ids.slice(0, 5).map((id) => (id.endsWith(typed) ? id : `${id} (${shortId(id)})`));
  return `${typed} matches ${ids.length} ${many}; give more of the id:\n${examples.join('\n')}`;
}
