import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runAdmin } from '../../helpers/admin-command.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';
import { MASTER_KEY } from '../../helpers/postgres/folder-databases.ts';
import { createEnds } from './move-ends.ts';

const ends = createEnds();
let folder: string;

beforeAll(async () => {
  folder = await ends.folder();
  const daemon = await startTestDaemon({ dataDir: folder, config: { databaseUrl: undefined, masterKeys: undefined } });
  await daemon.signIn('ada@example.com');
  await daemon.stop();
});

afterAll(ends.clean);
afterEach(() => vi.unstubAllEnvs());

const admin = (dataDir: string, ...words: string[]) => runAdmin(dataDir, words);

test('svc admin move says what it moved, and what to do next', async () => {
  const url = await ends.database();
  const { code, out, error } = await admin(folder, 'move', '--to', url);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^Moved sqlite:.*svc\.db\nto postgres:\/\/svc:\*+@127\.0\.0\.1:\d+\/\w+:\n1 account, \d+ rows, /);
  expect(out).toContain(`SVC_MASTER_KEY set to the text of ${join(folder, 'master.key')}.`);
  expect(out).not.toContain(url);

  const canceled = await admin(folder, 'move', '--cancel');
  expect(canceled.code).toBe(2);
  expect(canceled.error).toContain('Pass --yes');
  expect((await admin(folder, 'move', '--cancel', '--yes')).out).toContain('This database serves again.');
});

test('svc admin move ends on Ctrl-C and says how to continue', async () => {
  const url = await ends.database();
  const { code, error } = await runAdmin(folder, ['move', '--to', url], Promise.resolve('SIGINT'));
  expect(code).toBe(130);
  expect(error).toContain('Interrupted. The source serves on; run the same command again to continue.');
  expect((await admin(folder, 'move', '--to', url)).code).toBe(0);
  expect((await admin(folder, 'move', '--cancel', '--yes')).code).toBe(0);
});

test('svc admin move --json reports both databases without their passwords', async () => {
  const url = await ends.database();
  const there = await admin(folder, '--json', 'move', '--to', url);
  expect(JSON.parse(there.out)).toMatchObject({
    from: `sqlite:${join(folder, 'svc.db')}`,
    to: expect.stringMatching(/^postgres:\/\/svc:\*+@/),
    tenants: 1,
    masterKeyFile: join(folder, 'master.key'),
  });
  expect((await admin(folder, 'move', '--cancel', '--yes')).code).toBe(0);
  vi.stubEnv('SVC_DATABASE_URL', url);
  vi.stubEnv('SVC_MASTER_KEY', MASTER_KEY.toString('base64'));
  const back = await ends.folder();
  const wrong = await admin(back, 'move', '--to', 'sqlite');
  expect(wrong.code).toBe(1);
  expect(wrong.error).toContain('The master key does not match this database');
});

test.each([
  [['move'], 'name --to <database> or --cancel'],
  [['move', '--to', 'sqlite', '--cancel'], 'name --to <database> or --cancel'],
  [
    ['move', '--to', 'mysql://example.com/svc'],
    'must be a URL that starts with postgres:// or postgresql://. For the file of the data folder, name sqlite.',
  ],
  [['move', '--to', 'sqlite'], 'Set SVC_DATABASE_URL to the PostgreSQL database to move.'],
])('svc admin %j is refused with advice', async (words, advice) => {
  const { code, error } = await admin(await ends.folder(), ...words);
  expect(code).not.toBe(0);
  expect(error).toContain(advice);
});
