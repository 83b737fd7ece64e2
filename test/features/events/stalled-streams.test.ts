import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/daemon/log.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { createEvents } from '../../../src/features/events/events.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

let folder: string;
let db: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-events-'));
  await createMigratedDatabase(folder);
  db = await openDatabase(join(folder, 'svc.db'), { readerCount: 1, monotonicMs: () => 0 });
});
afterAll(async () => {
  vi.useRealTimers();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

test('a stream that is cut off while its client reads nothing leaves no timer that keeps the process alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const log = createLog('silent', () => {});
  const events = createEvents({ db, clock: createTestClock(), log, refresh: async () => undefined });
  const credential = { kind: 'apiKey', hash: 'h', last4: '0000', createdAt: 1, lastUsedAt: null } as const;
  const principal = { tenantId: 'ten_a', email: 'a@example.com', tier: 'Free', scope: 'account', credential } as const;
  const { chunks } = events.open(principal, undefined);
  expect((await chunks.next()).value).toContain('retry:');
  await chunks.return(undefined);
  expect([events.openStreams(), vi.getTimerCount()]).toEqual([0, 0]);
});
