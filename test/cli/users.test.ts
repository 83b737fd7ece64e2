import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  const { apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise');
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return person.close;
});
afterAll(() => daemon.close());

async function addUsers(): Promise<void> {
  await person.run(['add', 'Ada drinks tea', '--user', 'ada']);
  await person.run(['add', 'Bob drinks milk', '--user', 'bob']);
}

const names = async () =>
  (JSON.parse((await person.run(['users', '--json'])).out) as { data: { user: string }[] }).data.map(
    ({ user }) => user,
  );

describe('svc users', () => {
  test('says so if there are none', async () => {
    expect((await person.run(['users'], TTY)).out).toBe('No users yet.\n');
  });

  test('lists users with how much is stored of each, for people and for programs', async () => {
    await addUsers();
    const shown = (await person.run(['users'], TTY)).out;
    expect(shown).toContain('ada\n  1 memories, 0 conversations, 0 messages, 0 episodes, last seen just now\n');
    const lines = (await person.run(['users'])).out.trimEnd().split('\n');
    expect(lines.map((line) => line.split('\t'))).toEqual([
      ['1', '0', '0', '0', expect.stringMatching(/Z$/), 'bob'],
      ['1', '0', '0', '0', expect.stringMatching(/Z$/), 'ada'],
    ]);
    expect(await names()).toEqual(['bob', 'ada']);
  });

  test('forgets a user after showing what will be erased and asking', async () => {
    await addUsers();
    const refused = await person.run(['users', 'forget', 'ada'], { ...TTY, typed: 'n' });
    expect(refused).toMatchObject({ code: 1, questions: ['Forget this user permanently? [y/N] '] });
    expect(refused.err).toContain('1 memories');
    expect(await names()).toEqual(['bob', 'ada']);
    expect(await person.run(['users', 'forget', 'ada'], { ...TTY, typed: 'y' })).toMatchObject({
      code: 0,
      out: 'Forgotten.\n',
    });
    expect(await names()).toEqual(['bob']);
  });

  test('forgets a user unasked only with --yes, and answers programs in JSON', async () => {
    await addUsers();
    expect(await person.run(['users', 'forget', 'bob'])).toMatchObject({ code: 2 });
    const { code, out } = await person.run(['users', 'forget', 'bob', '--yes', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { user: 'bob', deleted: true }]);
    expect(await person.run(['users', 'forget', 'bob', '--yes'])).toMatchObject({ code: 1 });
  });
});
