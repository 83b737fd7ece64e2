import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DatabaseState, setDatabaseState } from '../../src/db/database-state.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let apiKey: string;

beforeEach(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('ada@example.com'));
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes tea' } });
});

afterEach(() => daemon.close());

const becomes = (state: DatabaseState['state'], otherEnd = 'postgres://db.example.com/svc') =>
  daemon.db.writes.write('daemon', (connection) => setDatabaseState(connection, { state, otherEnd, at: 1 }));

/** Starts another daemon on the database of the first. */
const startAgain = async () => {
  await daemon.stop();
  return startTestDaemon({ dataDir: daemon.folder });
};

describe('a daemon whose database was moved', () => {
  test('refuses writes until it is restarted, and continues to serve reads', async () => {
    await becomes('moved');
    const refused = await daemon.call(apiKey, '/v1/memories', { body: { content: 'Ada likes coffee' } });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    const listed = await daemon.call<{ data: { content: string }[] }>(apiKey, '/v1/memories');
    expect(listed.body.data.map(({ content }) => content)).toEqual(['Ada likes tea']);
  });

  test.each([
    ['postgres://db.example.com/svc', 'Set SVC_DATABASE_URL to that database'],
    ['sqlite:/var/lib/svc/svc.db', 'Unset SVC_DATABASE_URL and set SVC_DATA_DIR'],
  ])('does not start again, and names %s', async (otherEnd, advice) => {
    await becomes('moved', otherEnd);
    await expect(startAgain()).rejects.toThrow(`was moved to ${otherEnd}. ${advice}`);
  });
});

test('a daemon does not start on a database that a move has not filled yet', async () => {
  await becomes('arriving', 'sqlite:/var/lib/svc/svc.db');
  await expect(startAgain()).rejects.toThrow('a move from sqlite:/var/lib/svc/svc.db has not finished');
});
