import type { Client } from '../../client/client.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { RecentIds } from './recent-ids.ts';
import { shortId } from './short-id.ts';

/** What an id is looked for among. */
export interface IdKind {
  prefix: string;
  one: string;
  many: string;
  /** Where a person finds ids of it. */
  shownBy: string;
  /** Newest first. */
  all(client: Client): AsyncIterable<{ id: string }>;
}

export const MEMORY: IdKind = {
  prefix: 'mem',
  one: 'memory',
  many: 'memories',
  shownBy: 'svc list shows them.',
  all: (client) => client.memories.all({ includeSuperseded: true }),
};
export const CONVERSATION: IdKind = {
  prefix: 'conv',
  one: 'conversation',
  many: 'conversations',
  shownBy: 'svc search --types message --json shows them as conversationId.',
  all: (client) => client.conversations.all(),
};
export const JOB: IdKind = {
  prefix: 'job',
  one: 'job',
  many: 'jobs',
  shownBy: 'svc jobs shows them.',
  all: (client) => client.jobs.all(),
};

const PART = /^[0-9a-f]{4,32}$/;
const WHOLE_LENGTH = 32;
/** So much of a random id belongs to no other. */
const TELLING_LENGTH = 8;
/** How far back a part is looked for: 25 requests of 200. */
const SEARCHED = 5000;

/**
 * The whole id that a person means: the id itself, or its beginning or end as the lists show it. Throws a
 * `CommandFailure` where the part fits none or several, or is no part of an id at all.
 */
export async function findId(typed: string, client: Client, recentIds: RecentIds, kind = MEMORY): Promise<string> {
  const start = `${kind.prefix}_`;
  const text = typed.trim().toLowerCase();
  const part = text.startsWith(start) ? text.slice(start.length) : text;
  if (!PART.test(part)) {
    throw new CommandFailure(EXIT.usage, `${JSON.stringify(typed)} is no id of a ${kind.one}. ${kind.shownBy}`);
  }
  if (part.length === WHOLE_LENGTH) return start + part;
  const fits = (id: string) => id.startsWith(start + part) || (text === part && isOf(kind, id) && id.endsWith(part));
  const shown = (await recentIds.list()).filter(fits);
  if (part.length >= TELLING_LENGTH && shown.length === 1) return shown[0]!;
  const found = new Set(shown);
  let searched = 0;
  for await (const { id } of kind.all(client)) {
    if (fits(id)) found.add(id);
    searched += 1;
    if (searched >= SEARCHED) break;
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  const fault = id === undefined ? fitsNone(typed, kind, searched) : fitsMany(typed, kind, [id, ...others]);
  throw new CommandFailure(EXIT.failed, fault);
}

function isOf({ prefix }: IdKind, id: string): boolean {
  return id.startsWith(`${prefix}_`);
}

function fitsNone(typed: string, { one, many, shownBy }: IdKind, searched: number): string {
  if (searched < SEARCHED) return `No ${one}'s id begins or ends with ${typed}. ${shownBy}`;
  return `None of the newest ${SEARCHED} ${many} has an id with ${typed}. Give the whole id (with --json they are shown whole).`;
}

function fitsMany(typed: string, { many }: IdKind, ids: readonly string[]): string {
  const some = ids.slice(0, 5).map((id) => (id.endsWith(typed) ? id : `${id} (${shortId(id)})`));
  return `${typed} fits ${ids.length} ${many}; give more of the id:\n${some.join('\n')}`;
}
