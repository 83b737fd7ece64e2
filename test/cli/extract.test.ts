import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

/** `svc extract` and `svc jobs` against a daemon and a fake provider. */

const KEY = 'sk-test-0123456789abcdefghij';
const TTY = { tty: true };
const ENDED = /^(done|failed|cancelled)$/;
let openai: ProviderServer;
let daemon: TestDaemon;
let person: CliUser;
let stranger: CliUser;
let apiKey: string;
let strangerKey: string;
let conversationId: string;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
  ({ apiKey: strangerKey } = await makeTenant(daemon, freshAddress()));
  stranger = await createCliUser(daemon.baseUrl, strangerKey, daemon.clock);
});
beforeEach(async () => {
  openai.reset();
  openai.respond(() => extracted('add', 'The user lives in Bergen.'));
  ({ apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  await person.run(['provider', 'add', 'openai', '--base-url', openai.baseUrl], { stdin: KEY });
  conversationId = await begin(apiKey);
  await append('I live in Bergen, by the harbour.');
  return person.close;
});
afterAll(async () => {
  await Promise.all([stranger.close(), daemon.close(), openai.close()]);
});

async function begin(key: string): Promise<string> {
  return (await daemon.call<{ id: string }>(key, '/v1/conversations', { body: {} })).body.id;
}

async function append(content: string): Promise<void> {
  const messages = [{ role: 'user', content }];
  await daemon.call(apiKey, `/v1/conversations/${conversationId}/messages`, { body: { messages } });
}

const extracted = (decision: string, content: string, known = '') => ({
  memories: [{ decision, content, tags: [], messages: [1], known, date: '', reason: 'said so' }],
});
const readJob = async (id: string): Promise<Job> => JSON.parse((await person.run(['jobs', id, '--json'])).out);

describe('svc extract and svc jobs', () => {
  test('a dry run shows the decisions and stores nothing', async () => {
    const { out, code } = await person.run(['extract', conversationId, '--dry-run', '--wait'], TTY);
    expect(code).toBe(0);
    expect(out).toMatch(/^add {8}The user lives in Bergen\./);
    expect(out).toContain('✓ Dry run, nothing stored: 1 added (1 request, 133 tokens).');
    expect((await person.run(['list'])).out).toBe('');
  });

  test('--wait returns when the job has ended and shows what was stored', async () => {
    const short = conversationId.slice(-8);
    const { out, err, code } = await person.run(['extract', short, '--wait'], TTY);
    expect(code).toBe(0);
    expect(out).toMatch(/^add {8}The user lives in Bergen\.\n {11}[0-9a-f]{8} · from 1 message · said so\n\n✓ 1 added/);
    expect(err).toContain('of 1 message');
    expect((await person.run(['list'])).out).toContain('The user lives in Bergen.');
    const again = await person.run(['extract', short, '--wait'], TTY);
    expect(again.out).toBe('✓ Nothing new since the last extraction.\n');
  });

  test('without --wait it prints the job, which svc jobs shows by its short id', async () => {
    await person.run(['extract', conversationId, '--wait']);
    await append('I moved from Bergen to Oslo last week.');
    openai.respond(() => extracted('supersede', 'The user lives in Oslo.', 'm1'));
    const queued = await person.run(['extract', conversationId], TTY);
    const [, short] = /svc jobs ([0-9a-f]{8}) shows/.exec(queued.out)!;
    await expect.poll(async () => (await readJob(short!)).state).toMatch(ENDED);
    const { out } = await person.run(['jobs', short!], TTY);
    expect(out).toMatch(new RegExp(`^${short} {2}done {2}openai gpt-4.1-mini\n`));
    expect(out).toContain('1 of 1 message');
    expect(out).toMatch(/supersede {2}The user lives in Oslo\.\n.*replaces [0-9a-f]{8}/);
    const id = (await person.run(['extract', conversationId])).out.trim();
    expect(id).toMatch(/^job_[0-9a-f]{32}$/);
  });

  test('--wait exits with 1 and the reason if the job fails permanently', async () => {
    openai.next({ status: 401 });
    const failed = await person.run(['extract', conversationId, '--wait'], TTY);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toContain('The provider rejected this key');
    expect((await person.run(['provider', 'list'])).out).toContain('\trefused\t');
    expect(await person.run(['provider', 'check', 'openai'])).toMatchObject({ code: 0 });
    const rows = (await person.run(['jobs', '--state', 'failed'])).out.trimEnd().split('\n');
    expect(rows).toHaveLength(1);
    expect(rows[0]!.split('\t')).toMatchObject({ 1: 'failed', 2: '0/1', 3: conversationId, 4: 'openai', 7: 'refused' });
  });

  test('lists jobs newest first, up to the limit, and only to their owner', async () => {
    const extract = () => person.run(['extract', conversationId, '--dry-run', '--wait']);
    for (let count = 0; count < 2; count += 1) await extract();
    openai.next({ status: 401 });
    await extract();
    const all = (await person.run(['jobs'])).out.split('\n');
    expect(all.length).toBeGreaterThan(3);
    expect((await person.run(['jobs', '--limit', '2'])).out.split('\n')).toEqual([...all.slice(0, 2), '']);
    const { out } = await person.run(['jobs'], TTY);
    expect(out).toContain('The provider rejected this key');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await stranger.run(['jobs'], TTY)).out).toBe('No jobs yet. Start one with svc extract.\n');
    const [id] = all[0]!.split('\t');
    expect(await stranger.run(['jobs', id!])).toMatchObject({ code: 1, err: expect.stringContaining('No job') });
  });

  test('cancels an open job but not a finished one', async () => {
    openai.next({ status: 503 });
    const id = (await person.run(['extract', conversationId])).out.trim();
    await expect.poll(async () => (await readJob(id)).error?.code).toBe('unavailable');
    expect(await person.run(['jobs', id, '--cancel'])).toMatchObject({ code: 0 });
    expect(await readJob(id)).toMatchObject({ state: 'cancelled' });
    expect(await person.run(['jobs', id, '--cancel'])).toMatchObject({ code: 1 });
    expect(await person.run(['jobs', '--cancel'])).toMatchObject({ code: 2 });
  });

  test('without a provider key it explains how to add one', async () => {
    const ran = await stranger.run(['extract', await begin(strangerKey)]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('svc provider add') });
    expect(await stranger.run(['extract', conversationId])).toMatchObject({ code: 1 });
    expect(await stranger.run(['extract', 'zzzz'])).toMatchObject({ code: 2 });
  });
});
