import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const KEY = 'sk-test-0123456789abcdefghij';
const TTY = { tty: true };
let openai: ProviderServer;
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
});
beforeEach(async () => {
  openai.reset();
  ({ apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  await person.run(['provider', 'add', 'openai', '--base-url', openai.baseUrl], { stdin: KEY });
  return person.close;
});
afterAll(async () => {
  await Promise.all([daemon.close(), openai.close()]);
});

async function begin(title: string, content: string): Promise<string> {
  const { body } = await daemon.call<{ id: string }>(apiKey, '/v1/conversations', { body: { title } });
  const messages = [{ role: 'user', content }];
  await daemon.call(apiKey, `/v1/conversations/${body.id}/messages`, { body: { messages } });
  return body.id;
}

const extracted = (content: string) => ({
  memories: [{ decision: 'add', content, tags: [], messages: [1], known: '', date: '', reason: 'said so' }],
});

describe('svc conversations extract', () => {
  test('asks which conversations, extracts the picked one and shows what was found', async () => {
    await begin('Food', 'I like tea.');
    await begin('Travel', 'I live in Bergen.');
    openai.respond(() => extracted('The user likes tea.'));
    const { code, out, err } = await person.run(['conversations', 'extract'], { ...TTY, typed: '2' });
    expect(code).toBe(0);
    expect(err).toMatch(/Extract memories from which conversations\?\n1\. Travel: 1 message .*\n2\. Food: 1 message /);
    expect(out).toMatch(/^add {8}The user likes tea\.\n.*\n\n✓ 1 added/);
    const jobs = JSON.parse((await person.run(['jobs', '--json'])).out) as { data: Job[] };
    expect(jobs.data).toHaveLength(1);
  });

  test('extracts nothing if the question is cancelled or cannot be asked', async () => {
    await begin('Food', 'I like tea.');
    const cancelled = await person.run(['conversations', 'extract'], { ...TTY, typed: '' });
    expect(cancelled).toMatchObject({ code: 130, err: expect.stringContaining('Nothing was extracted.') });
    expect(await person.run(['conversations', 'extract'])).toMatchObject({ code: 2 });
  });

  test('extracts the named ones; one that fails does not stop the others and makes it exit with 1', async () => {
    const [first, second] = [await begin('A', 'I play chess.'), await begin('B', 'I own a boat.')];
    openai.respond(() => extracted('The user owns a boat.'));
    const ok = await person.run(['conversations', 'extract', first, second.slice(-8), '--json']);
    expect(ok.code).toBe(0);
    expect(JSON.parse(ok.out).data).toMatchObject([
      { conversationId: first, state: 'done' },
      { conversationId: second, state: 'done' },
    ]);
    const [third, fourth] = [await begin('C', 'I run.'), await begin('D', 'I swim.')];
    openai.next({ status: 401 });
    const { code, out, err } = await person.run(['conversations', 'extract', third, fourth], TTY);
    expect(code).toBe(1);
    expect(out).toContain(`Conversation ${third.slice(-8)}:\n`);
    expect(out).toContain(`Conversation ${fourth.slice(-8)}:\n`);
    expect(err).toContain('The provider rejected this key');
  });
});
