import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Topic, TopicDetails } from '../../src/contract/topics.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  ({ apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return person.close;
});
afterAll(() => daemon.close());

async function tell(...contents: string[]): Promise<void> {
  const memories = contents.map((content) => ({ content }));
  const answer = await daemon.call(apiKey, '/v1/memories/batch', { body: { memories } });
  expect(answer.status, answer.text).toBe(201);
  while (await daemon.comparing.follow());
}

/** Stores memories about Ada Lovelace, Linus Berg, Postgres and PostgreSQL. */
const tellAll = () =>
  tell(
    ...['Ada Lovelace plays chess', 'Ada Lovelace and Linus Berg share an office', 'Ada likes oolong'],
    ...['Linus Berg cooks', 'We use Postgres', 'Postgres listens on 5433'],
    ...['PostgreSQL has backups', 'PostgreSQL is at 16'],
  );

const topics = async (...words: string[]) =>
  (JSON.parse((await person.run(['topics', '--json', ...words])).out) as { data: Topic[] }).data;
const names = async (...words: string[]) => (await topics(...words)).map(({ name }) => name);
const topic = async (name: string) => JSON.parse((await person.run(['topic', name, '--json'])).out) as TopicDetails;

describe('svc topics', () => {
  test('says how topics come about where there are none', async () => {
    expect((await person.run(['topics'], TTY)).out).toMatch(/^No topics yet: svc finds them some seconds after/);
    expect((await person.run(['topics', '--hidden'], TTY)).out).toBe('No topic is hidden.\n');
    expect((await person.run(['topics'])).out).toBe('');
  });

  test('lists topics as a table for people and as fields for programs', async () => {
    await tellAll();
    const { out } = await person.run(['topics'], TTY);
    expect(out).toMatch(/^Ada Lovelace {2}3 memories {2}just now {2}Ada\n/);
    const rows = (await person.run(['topics', '--sort', 'name'])).out.split('\n').slice(0, -1);
    expect(rows.map((row) => row.split('\t').slice(1))).toEqual([
      ['3', expect.stringMatching(/Z$/), 'Ada Lovelace', 'Ada'],
      ['2', expect.stringMatching(/Z$/), 'Linus Berg', ''],
      ['2', expect.stringMatching(/Z$/), 'Postgres', ''],
      ['2', expect.stringMatching(/Z$/), 'PostgreSQL', ''],
    ]);
    expect(await names('--query', 'berg')).toEqual(['Linus Berg']);
    expect((await person.run(['topics', '--limit', '1'], TTY)).out).toContain('More: --limit 4');
    expect((await person.run(['topics', '--query', 'nobody'], TTY)).out).toContain('begins with "nobody"');
    expect((await person.run(['topics', '--sort', 'size'])).code).toBe(2);
  });
});

describe('svc topic', () => {
  test('shows what holds and what was before, found by a name, another name, or the beginning of a word', async () => {
    await tellAll();
    const { data } = (await daemon.call<{ data: { id: string; content: string }[] }>(apiKey, '/v1/memories')).body;
    const chess = data.find(({ content }) => content.includes('chess'))!;
    const go = await person.run(['add', 'Ada Lovelace plays go', '--supersedes', chess.id]);
    while (await daemon.comparing.follow());
    for (const words of [['Ada', 'Lovelace'], ['ada'], ['lovel']]) {
      const { out } = await person.run(['topic', ...words], TTY);
      expect(out).toMatch(/^Ada Lovelace\nalso Ada\n4 memories, the last just now\ntop_\w{32}\n\nNow\n/);
      expect(out.indexOf('Ada Lovelace plays go')).toBeLessThan(out.indexOf('\nBefore\n'));
      expect(out.indexOf('Ada Lovelace plays chess')).toBeGreaterThan(out.indexOf('\nBefore\n'));
      expect(out).toContain(`until just now, replaced by ${go.out.trim().slice(-8)}`);
      expect(out).toContain('\n\nRelated\n  Linus Berg (1)\n');
    }
    const { id } = await topic('Ada Lovelace');
    const rows = (await person.run(['topic', id])).out.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t')[0])).toEqual(['now', 'now', 'now', 'before']);
    expect(rows.at(-1)!.split('\t').slice(4)).toEqual([go.out.trim(), 'Ada Lovelace plays chess']);
    // Its memories are known by the short ids that it shows.
    expect((await person.run(['show', chess.id.slice(-8)])).code).toBe(0);
  });

  test('asks which one is meant, and says that there is none', async () => {
    await tellAll();
    expect(await person.run(['topic', 'postg'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^svc: "postg" may be one of 2 topics. Did you mean:\n {2}Postgre\w+ \(top_\w+\)\n {2}Postgre\w+ \(top_\w+\)\n$/,
      ),
    });
    expect(await person.run(['topic', 'nobody'])).toMatchObject({
      code: 1,
      err: 'svc: No topic is called "nobody". Run svc topics to see them.\n',
    });
    expect((await person.run(['topic', 'ada', '--user', 'carla'])).err).toBe(
      'svc: No topic of carla is called "ada". Run svc topics to see them.\n',
    );
    expect((await person.run(['topic', 'top_00000000000000000000000000000000'])).code).toBe(1);
  });

  test('renames a topic, and adds and takes away other names', async () => {
    await tellAll();
    const renamed = await person.run(['topic', 'ada', '--rename', 'Ada King', '--alias', 'countess']);
    expect(renamed).toMatchObject({ code: 0, out: 'Ada King, also Ada, Ada Lovelace, countess: 3 memories\n' });
    const unknown = await person.run(['topic', 'countess', '--no-alias', 'queen']);
    expect(unknown).toMatchObject({ code: 1, err: 'svc: "queen" is not another name of this topic.\n' });
    const changed = await person.run([
      ...['topic', 'countess', '--no-alias', 'COUNTESS', '--rename', 'Ada Lovelace', '--json'],
    ]);
    expect(JSON.parse(changed.out)).toMatchObject({ name: 'Ada Lovelace', aliases: ['Ada', 'Ada King'] });
    expect(await names('--sort', 'name')).toEqual(['Ada Lovelace', 'Linus Berg', 'Postgres', 'PostgreSQL']);
    expect((await person.run(['topic', 'ada', '--alias', 'Linus Berg'])).err).toContain('merge the two');
  });

  test('merges and splits topics', async () => {
    await tellAll();
    const merged = await person.run(['topic', 'Postgres', '--merge', 'PostgreSQL']);
    expect(merged).toMatchObject({ code: 0, out: 'Postgres, also PostgreSQL: 4 memories\n' });
    expect(await names('--query', 'postgres')).toEqual(['Postgres']);
    const split = await person.run(['topic', 'Postgres', '--split', 'PostgreSQL']);
    expect(split.out).toMatch(/^PostgreSQL: 2 memories \(top_\w{32}\)\n$/);
    expect(await names('--query', 'postgres')).toHaveLength(2);
    expect((await person.run(['topic', 'Postgres', '--merge', 'x', '--split', 'y'])).code).toBe(2);
    expect((await person.run(['topic', 'Postgres', '--merge', 'Postgres'])).code).toBe(1);
  });

  test('hides a topic and shows it again', async () => {
    await tell('We use Postgres', 'Postgres listens on 5433');
    expect((await person.run(['topic', 'Postgres', '--hide'])).out).toBe('Postgres: 2 memories, hidden\n');
    expect(await names()).not.toContain('Postgres');
    expect(await names('--hidden')).toEqual(['Postgres']);
    expect((await person.run(['topic', 'Postgres', '--show'])).out).toBe('Postgres: 2 memories\n');
    expect(await names()).toContain('Postgres');
    expect((await person.run(['topic', 'Postgres', '--show', '--hide'])).code).toBe(2);
  });

  test('prints names of memories as text', async () => {
    await tell('\u001b[31mZed Quill\u001b[0m \u202e sings', '\u001b[31mZed Quill\u001b[0m dances');
    const id = (await topics('--query', 'zed'))[0]?.id;
    for (const words of [['topics'], ['topics', '--json'], ...(id === undefined ? [] : [['topic', id]])]) {
      expect((await person.run(words, TTY)).out).not.toMatch(/[\u001b\u202e]/);
    }
  });
});
