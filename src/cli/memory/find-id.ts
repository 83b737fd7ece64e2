import type { Client } from '../../client/client.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { RecentIds } from './recent-ids.ts';
import { shortId } from './short-id.ts';

const WHOLE = /^mem_[0-9a-f]{32}$/;
const PART = /^[0-9a-f]{4,32}$/;
/** So much of a random id belongs to no other. */
const TELLING_LENGTH = 8;
/** How far back a part is looked for: 25 requests of 200 memories. */
const SEARCHED = 5000;

/**
 * The whole id that a person means: the id itself, or its beginning or end as the lists show it. Throws a
 * `CommandFailure` where the part fits none or several, or is no part of an id at all.
 */
export async function findId(typed: string, client: Client, recentIds: RecentIds): Promise<string> {
  const text = typed.trim().toLowerCase();
  const part = text.replace(/^mem_/, '');
  if (!PART.test(part)) {
    throw new CommandFailure(EXIT.usage, `${JSON.stringify(typed)} is no id of a memory. svc list shows them.`);
  }
  if (WHOLE.test(`mem_${part}`)) return `mem_${part}`;
  const fits = (id: string) => id.startsWith(`mem_${part}`) || (!text.startsWith('mem_') && id.endsWith(part));
  const shown = (await recentIds.list()).filter(fits);
  if (part.length >= TELLING_LENGTH && shown.length === 1) return shown[0]!;
  const found = new Set(shown);
  let searched = 0;
  for await (const { id } of client.memories.all({ includeSuperseded: true })) {
    if (fits(id)) found.add(id);
    searched += 1;
    if (searched >= SEARCHED) break;
  }
  const [id, ...others] = found;
  if (id !== undefined && others.length === 0) return id;
  throw new CommandFailure(
    EXIT.failed,
    id === undefined ? fitsNone(typed, searched) : fitsMany(typed, [id, ...others]),
  );
}

function fitsNone(typed: string, searched: number): string {
  if (searched < SEARCHED) return `No memory's id begins or ends with ${typed}. svc list shows them.`;
  return `None of the newest ${SEARCHED} memories has an id with ${typed}. Give the whole id (svc search … --json shows it).`;
}

function fitsMany(typed: string, ids: readonly string[]): string {
  const some = ids.slice(0, 5).map((id) => (id.endsWith(typed) ? id : `${id} (${shortId(id)})`));
  return `${typed} fits ${ids.length} memories; give more of the id:\n${some.join('\n')}`;
}
