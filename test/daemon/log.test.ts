import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/contract/errors.ts';
import { createLog } from '../../src/daemon/log.ts';
import { storageError } from '../../src/db/storage-error.ts';
import { breakTable } from '../helpers/broken-tables.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const SECRET = /svc_live_[0-9a-f]{32}/;
const apiKey = () => `svc_live_${randomBytes(16).toString('hex')}`;

function logged(work: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  work(createLog('trace', (line) => lines.push(line)));
  return lines;
}

describe('a log line', () => {
  test('is a single line of JSON with time, level and message', () => {
    const [line] = logged((log) => log.warn({ chore: 'a' }, 'two\nlines'));
    expect(line).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(line!)).toMatchObject({
      level: 40,
      chore: 'a',
      msg: 'two\nlines',
      time: expect.stringMatching(/Z$/),
    });
  });

  test('contains no API key, wherever it comes from (property)', () => {
    const key = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((bytes) => `svc_live_${Buffer.from(bytes).toString('hex')}`);
    fc.assert(
      fc.property(key, fc.string(), fc.string(), (secret, before, after) => {
        const text = before + secret + after;
        const lines = logged((log) => {
          log.info({ [text]: text, nested: { deep: [text] } }, text);
          log.error({ error: new Error(text, { cause: new AppError('internal', text) }) }, 'failed');
          log.error({ error: storageError(Object.assign(new Error(text), { code: 'SQLITE_ERROR' })) }, text);
        });
        return lines.length === 3 && lines.every((line) => !line.includes(secret));
      }),
    );
  });

  test('contains neither sign-in tokens nor bearer credentials', () => {
    const token = randomBytes(32).toString('base64url');
    const [line] = logged((log) => log.info({ url: `/v1/auth/callback?token=${token}`, a: `Bearer ${token}` }, 'x'));
    expect(line).not.toContain(token);
  });

  test('contains no part of a refresh token, and no link that was pasted into a form', () => {
    const [token, rest] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
    const pasted = `/v1/oauth/confirm?${new URLSearchParams({ token: `https://svc.example/x?token=${token}` })}`;
    const [line] = logged((log) => log.info({ url: pasted, refresh: `svc_ort_${token}${rest}` }, 'x'));
    for (const secret of [token, rest]) expect(line).not.toContain(secret);
  });

  test('contains the type of an error and its cause', () => {
    const cause = storageError(Object.assign(new Error('disk'), { code: 'SQLITE_IOERR' }));
    const [line] = logged((log) => log.error({ error: cause }, 'a write failed'));
    expect(JSON.parse(line!).error).toMatchObject({ type: 'AppError', code: 'unavailable' });
    expect(line).toContain('SQLITE_IOERR');
  });
});

describe('the log of a daemon', () => {
  let daemon: TestDaemon;
  afterEach(() => daemon.close());

  const requests = () =>
    daemon.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request') as {
      status: number;
      route: string;
    }[];

  test('contains every hundredth success and every failure, and no key in any line', async () => {
    daemon = await startTestDaemon({ config: { defaultTier: 'Enterprise' } });
    const { apiKey: key } = await daemon.signIn('ada@example.com');
    daemon.logLines.length = 0;
    for (let count = 0; count < 100; count += 1) await daemon.call(key, '/v1/account');
    for (let count = 0; count < 10; count += 1) await daemon.call(key, `/v1/memories/${key}`);
    for (let count = 0; count < 10; count += 1) await daemon.call(apiKey(), `/v1/account?key=${key}`);
    const lines = requests();
    expect(lines.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(lines.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(lines.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(lines.some(({ route }) => route === '/v1/memories/:id')).toBe(true);
    for (const line of daemon.logLines) expect(line).not.toMatch(SECRET);
  });

  test('contains every request that signs in or changes a credential, and reads of them like others', async () => {
    daemon = await startTestDaemon({ config: { defaultTier: 'Enterprise' } });
    const { apiKey: key } = await daemon.signInByMail('ada@example.com');
    await daemon.call(key, '/v1/account');
    daemon.logLines.length = 0;
    for (let count = 0; count < 5; count += 1) await daemon.call(key, '/v1/connections');
    await daemon.call(key, '/v1/session', { method: 'POST' });
    const { apiKey: next } = await daemon.signInByMail('ada@example.com');
    await daemon.call(next, '/v1/auth/key', { method: 'DELETE' });
    const lines = requests().map(({ route, status }) => `${route} ${status}`);
    for (const expected of [
      '/v1/session 201',
      '/v1/auth/magic-link 202',
      '/v1/auth/callback 303',
      '/v1/auth/key 204',
    ]) {
      expect(lines).toContain(expected);
    }
    expect(lines.filter((line) => line.startsWith('/v1/connections'))).toEqual([]);
    for (const line of daemon.logLines) expect(line).not.toMatch(SECRET);
  });

  test('contains a failed request with its cause and request id', async () => {
    daemon = await startTestDaemon();
    const { apiKey: key } = await daemon.signIn('ada@example.com');
    await breakTable(daemon, 'memoryTags');
    const answer = await daemon.call<{ requestId: string }>(key, '/v1/memories', {
      body: { content: 'x'.repeat(30_000), tags: ['xxxx'] },
    });
    expect(answer.status).toBe(500);
    const lines = daemon.logLines.map((line) => JSON.parse(line));
    const failure = lines.find(({ msg }) => msg === 'request failed');
    expect(failure).toMatchObject({ level: 50, requestId: answer.body.requestId, error: { type: 'StorageFault' } });
    expect(JSON.stringify(failure)).not.toContain('xxxx');
  });

  test('contains a request refused as busy as a warning, without a stack', async () => {
    daemon = await startTestDaemon();
    const { apiKey: key } = await daemon.signIn('ada@example.com');
    await daemon.db.writes.drain();
    expect((await daemon.call(key, '/v1/memories', { body: { content: 'tea' } })).status).toBe(503);
    const lines = daemon.logLines.map((line) => JSON.parse(line));
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    const late = lines.find(({ msg }) => msg === 'request refused');
    expect(late).toMatchObject({ level: 40, detail: expect.stringContaining('stopping') });
  });
});
