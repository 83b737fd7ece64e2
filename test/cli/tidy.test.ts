import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

/** `svc tidy` against a daemon and a fake provider. */

const KEY = 'sk-test-0123456789abcdefghij';
const TTY = { tty: true };
let openai: ProviderServer;
let daemon: TestDaemon;
let person: CliUser;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
});
beforeEach(async () => {
  openai.reset();
  const { apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise');
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return person.close;
});
afterAll(async () => {
  await Promise.all([daemon.close(), openai.close()]);
});

const addKey = () => person.run(['provider', 'add', 'openai', '--base-url', openai.baseUrl], { stdin: KEY });
const addMemories = async () => {
  for (const content of ['The kiln runs at night', 'The kiln runs every night']) await person.run(['add', content]);
};

const merge = {
  ...{ kind: 'merge', memories: ['m1', 'm2'], content: 'The kiln runs every night', date: '' },
  evidence: ['m1', 'm2'].map((memory) => ({ memory, text: 'The kiln runs' })),
  ...{ reason: 'Both say the same', confidence: 0.9 },
};

describe('svc tidy', () => {
  test('says what to do without a key', async () => {
    const { err, code } = await person.run(['tidy'], TTY);
    expect(code).toBe(1);
    expect(err).toContain('svc provider add');
  });

  test('follows the job, and says how many suggestions wait', async () => {
    await addKey();
    await addMemories();
    openai.respond(() => ({ suggestions: [merge, { ...merge, content: 'The kiln runs at 9' }] }));
    const { out, code } = await person.run(['tidy'], TTY);
    expect(code).toBe(0);
    expect(out).toBe(
      '✓ 1 suggestion, 1 refused (1 request, 133 tokens).\n1 suggestion waits for your decision: svc review\n',
    );
    const jobs = await person.run(['jobs'], TTY);
    expect(jobs.out).toContain('user default · 2 of 2 memories');
    expect(jobs.out).toContain('1 suggestion, 1 refused');
  });

  test('prints the job as JSON, of another user, with another model', async () => {
    await addKey();
    const { out, code } = await person.run(['tidy', '--user', 'ada', '--model', 'gpt-4.1-mini', '--json']);
    expect(code).toBe(0);
    const job = JSON.parse(out) as Job;
    expect(job).toMatchObject({ kind: 'tidy', state: 'done', user: 'ada', tidied: { suggested: 0 } });
  });

  test('exits with 1 and the reason if the job fails', async () => {
    await addKey();
    await addMemories();
    openai.next({ status: 401 });
    const { out, err, code } = await person.run(['tidy'], TTY);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain('The provider rejected this key');
  });

  test('has its schedule among the settings of providers', async () => {
    const { out } = await person.run(['provider', 'settings', '--tidy', 'weekly', '--json']);
    expect(JSON.parse(out)).toMatchObject({ tidySchedule: 'weekly' });
    expect((await person.run(['provider', 'settings'], TTY)).out).toMatch(/Tidy +weekly/);
  });
});
