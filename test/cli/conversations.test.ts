import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewMessage } from '../../src/contract/conversations.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;
let trip: string;

async function begin(fields: Record<string, unknown>, messages: NewMessage[] = []): Promise<string> {
  const { body } = await daemon.call<{ id: string }>(apiKey, '/v1/conversations', { body: fields });
  if (messages.length > 0) {
    await daemon.call(apiKey, `/v1/conversations/${body.id}/messages`, { body: { messages } });
  }
  return body.id;
}

const say = (
  role: 'user' | 'assistant' | 'tool',
  content: NewMessage['content'],
  createdAt: string,
  name?: string,
) => ({
  role,
  content,
  createdAt,
  ...(name !== undefined && { name }),
});

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());

let accounts = 0;
beforeEach(async () => {
  accounts += 1;
  ({ apiKey } = await daemon.signIn(`a${accounts}@example.com`));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  trip = await begin({ title: 'Trip to Bergen', user: 'ada', project: 'fjord' }, [
    say('user', 'Where is the harbor?', '2026-03-01T12:00:00.000Z', 'Ada'),
    say(
      'assistant',
      [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_call', id: 'c1', name: 'map', arguments: { place: 'harbor\nBergen' } },
      ],
      '2026-03-01T12:01:00.000Z',
    ),
    say(
      'tool',
      [
        { type: 'tool_result', toolCallId: 'c1', content: 'in the west '.repeat(30) },
        { type: 'image_url', url: 'https://example.com/map.png' },
      ],
      '2026-03-04T12:02:00.000Z',
    ),
  ]);
  return () => person.close();
});

describe('svc conversations', () => {
  test('lists id, messages, last time, user, project and title in a line each for programs', async () => {
    const empty = await begin({});
    const { out, code } = await person.run(['conversations']);
    expect(code).toBe(0);
    expect(out).toBe(`${empty}\t0\t\tdefault\t\t\n${trip}\t3\t2026-03-04T12:02:00.000Z\tada\tfjord\tTrip to Bergen\n`);
  });

  test('lists short id, title and facts for people', async () => {
    await begin({});
    const { out } = await person.run(['conversations'], TTY);
    expect(out).toMatch(/^[0-9a-f]{8} {2}untitled\n {10}no messages\n/);
    expect(out).toContain(`${trip.slice(-8)}  Trip to Bergen\n          3 messages · last `);
    expect(out).toContain('user ada · project fjord\n');
  });

  test('lists what has no title by how it begins', async () => {
    await begin({}, [say('user', 'Which ferry goes to Bergen?', '2026-03-05T12:00:00.000Z')]);
    const { out } = await person.run(['conversations'], TTY);
    expect(out).toMatch(/^[0-9a-f]{8} {2}Which ferry goes to Bergen\?\n/m);
  });

  test('filters by user and project, and honors --limit, --all and --json', async () => {
    const other = await begin({ user: 'bob' });
    const ids = async (...words: string[]) =>
      (
        JSON.parse((await person.run(['conversations', ...words, '--json'])).out) as { data: { id: string }[] }
      ).data.map(({ id }) => id);
    expect(await ids('--user', 'bob')).toEqual([other]);
    expect(await ids('--user', 'ada', '--project', 'fjord')).toEqual([trip]);
    expect(await ids('--limit', '1')).toEqual([other]);
    expect(await ids('--all')).toEqual([other, trip]);
    const { out } = await person.run(['conversations', '--limit', '1'], TTY);
    expect(out).toContain('More available: --limit 5, or --all\n');
  });

  test('says how the first one is made, and when filters match none', async () => {
    expect((await person.run(['conversations', '--user', 'eve'], TTY)).out).toBe(
      'No conversations match these filters.\n',
    );
    await person.run(['conversations', 'forget', trip, '--yes']);
    expect((await person.run(['conversations'], TTY)).out).toMatch(/^No conversations yet\. .*svc import/s);
  });
});

describe('svc conversations show', () => {
  test('prints a dialogue with speaker, time and text, and other parts on one line each', async () => {
    const { out, code } = await person.run(['conversations', 'show', trip.slice(-8)], TTY);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Trip to Bergen\n${trip} · 3 messages`));
    expect(out).toMatch(/\nSunday,? 1 March 2026\n\nAda \(user\) {2}\d\d:\d\d\n {2}Where is the harbor\?\n/);
    expect(out).toMatch(/\nassistant {2}\d\d:\d\d\n {2}Let me look\.\n {2}calls map \{"place":"harbor\\nBergen"\}\n/);
    expect(out).toMatch(
      /\nWednesday,? 4 March 2026\n\ntool {2}\d\d:\d\d\n {2}result in the west [^\n]*…\n {2}image https/,
    );
    expect(out.match(/March 2026/g)).toHaveLength(2);
    expect(out).not.toContain('\u001b');
  });

  test.each([40, 80, 120])('fits in %i columns', async (columns) => {
    const { out } = await person.run(['conversations', 'show', trip], { ...TTY, columns });
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
  });

  test('--limit shows the latest and says how many came before, --all pages through all', async () => {
    const long = await begin(
      {},
      Array.from({ length: 450 }, (_, index) => say('user', `line ${index}.`, '2026-03-01T12:00:00.000Z')),
    );
    const { out } = await person.run(['conversations', 'show', long, '--limit', '2'], TTY);
    expect(out).toContain('448 earlier messages: --limit 10, or --all\n');
    expect(out.match(/line \d+/g)).toEqual(['line 448', 'line 449']);
    const all = (await person.run(['conversations', 'show', long, '--all'], TTY)).out;
    expect(all.match(/line \d+/g)).toEqual(Array.from({ length: 450 }, (_, index) => `line ${index}`));
    expect(all.match(/March 2026/g)).toHaveLength(1);
    const json = JSON.parse((await person.run(['conversations', 'show', long, '--all', '--json'])).out);
    expect(json).toMatchObject({ id: long, messageCount: 450 });
    expect(json.messages.map(({ content }: NewMessage) => content).slice(0, 2)).toEqual(['line 0.', 'line 1.']);
  });

  test('text that would control the terminal is printed as symbols', async () => {
    const id = await begin({ title: 'a\u001b[2Jb' }, [
      say(
        'user',
        [{ type: 'tool_call', id: 'c', name: 'x\u001b[31m', arguments: '\u001b]0;t\u0007' }],
        '2026-03-01T12:00:00Z',
      ),
      say('user', 'x\u001b[2J', '2026-03-01T12:00:00.000Z', 'e\u001b[2Jve'),
    ]);
    expect((await person.run(['conversations', 'show', id], TTY)).out).not.toMatch(/[\u001b\u0007]/);
    expect((await person.run(['conversations'], TTY)).out).not.toContain('\u001b');
  });

  test('an unknown id fails and says where ids are', async () => {
    const { code, err } = await person.run(['conversations', 'show', 'ffffffff']);
    expect(code).toBe(1);
    expect(err).toContain('Run svc conversations to see them.');
    expect(await person.run(['conversations', 'show', 'mem_12345678'])).toMatchObject({ code: 2 });
  });
});

describe('svc conversations forget', () => {
  const exists = async (id: string) => (await daemon.call(apiKey, `/v1/conversations/${id}`)).status === 200;

  test('shows what it would erase and asks', async () => {
    const kept = await person.run(['conversations', 'forget', trip], { ...TTY, typed: 'n' });
    expect(kept).toMatchObject({ code: 1, questions: ['Forget this conversation permanently? [y/N] '] });
    expect(kept.err).toContain('Trip to Bergen');
    expect(await exists(trip)).toBe(true);
    const { code, out } = await person.run(['conversations', 'forget', trip.slice(-8)], { ...TTY, typed: 'y' });
    expect([code, out, await exists(trip)]).toEqual([0, 'Forgotten.\n', false]);
  });

  test('erases unasked only with --yes, several at once, and nothing if one id is unknown', async () => {
    const other = await begin({});
    expect(await person.run(['conversations', 'forget', trip])).toMatchObject({ code: 2 });
    expect(await person.run(['conversations', 'forget', trip, 'ffffffff', '--yes'])).toMatchObject({ code: 1 });
    expect(await exists(trip)).toBe(true);
    const { out } = await person.run(['conversations', 'forget', trip, other, '--yes', '--json']);
    expect(JSON.parse(out)).toEqual({ data: [trip, other].map((id) => ({ id, deleted: true })) });
    expect([await exists(trip), await exists(other)]).toEqual([false, false]);
  });
});
