import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLog } from '../../src/daemon/log.ts';
import type { Database } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { createEnvelope } from '../../src/features/envelope/envelope.ts';
import { masterKeyOf } from '../../src/features/envelope/master-key.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

const log = createLog('silent', () => {});
const machineNowMs = () => Date.now();

let databases: Database[];

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const url = await ensureDatabase(adminUrl, 'envelope', template);
  const open = () => openPostgres(url, { readerCount: 1, monotonicMs: () => performance.now(), machineNowMs, log });
  databases = [await open(), await open()];
});

afterAll(async () => {
  for (const db of databases) await db.close();
  await dropDatabase(inject('postgres').adminUrl, 'envelope');
});

/** The envelope of a daemon that was given the master key of 32 bytes `byte`. */
function envelopeOf(db: Database, byte: number) {
  const key = masterKeyOf(Buffer.alloc(32, byte));
  const masterKeys = { isGiven: true, current: () => [key], ensure: async () => key, reload: async () => [key] };
  return createEnvelope({ db, random: systemRandom, log, masterKeys });
}

test('daemons that start on an empty database at once share one data key', async () => {
  const [one, other] = await Promise.all(databases.map((db) => envelopeOf(db, 1).begin()));
  expect(one).toEqual(other);
  expect(await envelopeOf(databases[0]!, 1).begin()).toEqual(one);
});

test('a daemon with another master key is refused and changes nothing', async () => {
  const before = await envelopeOf(databases[0]!, 1).begin();
  await expect(envelopeOf(databases[1]!, 2).begin()).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await envelopeOf(databases[0]!, 1).begin()).toEqual(before);
});
