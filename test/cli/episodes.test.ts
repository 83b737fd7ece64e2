import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Episode } from '../../src/contract/episodes.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;
let accounts = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  accounts += 1;
  ({ apiKey } = await daemon.signIn(`a${accounts}@example.com`));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return () => person.close();
});

const create = async (path: string, body: unknown) =>
  (await daemon.call<{ id: string }>(apiKey, path, { body })).body.id;
const episode = (fields: Partial<Episode> = {}) =>
  create('/v1/episodes', {
    title: 'A day at the lake',
    startedAt: '2026-03-01T09:00:00.000Z',
    endedAt: '2026-03-01T18:00:00.000Z',
    ...fields,
  });

/** Creates a conversation with two topics that are three days apart. */
async function conversation(): Promise<string> {
  const id = await create('/v1/conversations', {});
  const messages = [
    { role: 'user', content: 'The lake was cold today.', createdAt: '2026-03-01T12:00:00.000Z' },
    { role: 'user', content: 'We swam anyway.', createdAt: '2026-03-01T12:01:00.000Z' },
    { role: 'user', content: 'The invoice is overdue.', createdAt: '2026-03-04T12:00:00.000Z' },
    { role: 'user', content: 'Please send a reminder.', createdAt: '2026-03-04T12:01:00.000Z' },
  ];
  await create(`/v1/conversations/${id}/messages`, { messages });
  return id;
}

describe('svc episodes', () => {
  test('lists id, start, end, user, project, conversation and title in a line each for programs', async () => {
    const id = await episode({ user: 'ada', project: 'fjord' });
    expect((await person.run(['episodes'])).out).toBe(
      `${id}\t2026-03-01T09:00:00.000Z\t2026-03-01T18:00:00.000Z\tada\tfjord\t\tA day at the lake\n`,
    );
    const { out } = await person.run(['episodes'], TTY);
    expect(out).toContain(`${id.slice(-8)}  A day at the lake\n`);
    expect(out).toContain('user ada · project fjord\n');
  });

  test('filters, and says how to make the first one', async () => {
    const id = await episode({ user: 'ada' });
    const { data } = JSON.parse((await person.run(['episodes', '--user', 'ada', '--json'])).out);
    expect(data).toMatchObject([{ id }]);
    expect((await person.run(['episodes', '--user', 'bob'], TTY)).out).toBe('No episodes match these filters.\n');
    await person.run(['episodes', 'forget', id, '--yes']);
    expect((await person.run(['episodes'], TTY)).out).toContain('svc episodes cut CONVERSATION');
  });

  test('show prints the summary, the outcome and every field that is set', async () => {
    const id = await episode({ summary: 'We swam.', outcome: 'A cold.', metadata: { mood: 'good' } });
    const { out } = await person.run(['episodes', 'show', id.slice(-8)], TTY);
    expect(out).toMatch(/^A day at the lake\n\nWe swam\.\n\n/);
    expect(out).toMatch(/\n {2}outcome {3}A cold\.\n/);
    expect(out).toContain(id);
    expect(out).toContain('{"mood":"good"}');
    expect(out).not.toContain('project');
    expect(JSON.parse((await person.run(['episodes', 'show', id, '--json'])).out)).toMatchObject({ id });
    expect(await person.run(['episodes', 'show', 'ffffffff'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Run svc episodes to see them.'),
    });
  });

  test('cut splits a conversation at a long pause and prints the episodes', async () => {
    const id = await conversation();
    const { out, code } = await person.run(['episodes', 'cut', id.slice(-8)]);
    expect(code).toBe(0);
    const rows = out.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(1, 3))).toEqual([
      ['2026-03-01T12:00:00.000Z', '2026-03-01T12:01:00.000Z'],
      ['2026-03-04T12:00:00.000Z', '2026-03-04T12:01:00.000Z'],
    ]);
    const shown = await person.run(['episodes', 'show', rows[0]!.split('\t')[0]!], TTY);
    expect(shown.out).toContain(', cut by svc');
    const empty = await create('/v1/conversations', {});
    expect((await person.run(['episodes', 'cut', empty], TTY)).out).toContain('has no messages yet');
  });

  test('forget asks, erases the episode and keeps the conversation', async () => {
    const id = await conversation();
    const { data } = JSON.parse((await person.run(['episodes', 'cut', id, '--json'])).out) as { data: Episode[] };
    const words = ['episodes', 'forget', data[0]!.id];
    const kept = await person.run(words, { ...TTY, typed: '' });
    expect(kept).toMatchObject({ code: 1, questions: ['Forget this episode permanently? [y/N] '] });
    expect(kept.err).toContain('Its messages and memories stay.');
    expect(await person.run(words)).toMatchObject({ code: 2 });
    expect(await person.run(words, { ...TTY, typed: 'y' })).toMatchObject({ code: 0, out: 'Forgotten.\n' });
    expect((await daemon.call(apiKey, `/v1/episodes/${data[0]!.id}`)).status).toBe(404);
    expect((await daemon.call(apiKey, `/v1/conversations/${id}`)).status).toBe(200);
  });

  test.each([40, 80])('fits in %i columns', async (columns) => {
    const id = await episode({ summary: 'We swam in the cold water. '.repeat(20), user: 'ada', project: 'fjord' });
    for (const words of [['episodes'], ['episodes', 'show', id]]) {
      const { out } = await person.run(words, { ...TTY, columns });
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    }
  });
});
