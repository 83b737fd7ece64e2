import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());

test('a daemon that is ready answers while the schemas of its routes are compiled, and all of them can be', async () => {
  const events: string[] = [];
  const compiling = daemon.app.compileSchemas(0).then(() => events.push('compiled'));
  expect((await daemon.call(undefined, '/v1/memories')).status).toBe(401);
  events.push('answered');
  await compiling;
  expect(events).toEqual(['answered', 'compiled']);
});

test('routes answer the same after their schemas are compiled', async () => {
  const { apiKey } = await daemon.signIn('ada@example.com');
  const added = await daemon.call(apiKey, '/v1/memories', { body: { content: 'I drink tea' } });
  expect(added).toMatchObject({ status: 201, body: { content: 'I drink tea' } });
  expect((await daemon.call(apiKey, '/v1/memories?limit=1e1')).status).toBe(400);
  expect((await daemon.call(apiKey, '/v1/memories', { body: { content: 1 } })).status).toBe(400);
});
