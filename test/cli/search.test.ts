import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

let daemon: TestDaemon;
let person: CliUser;
const TTY = { tty: true };

beforeAll(async () => {
  daemon = await startTestDaemon();
  person = await createCliUser(daemon.baseUrl, (await daemon.signIn('search@example.com')).apiKey, daemon.clock);
  const memories = [
    ['Ada prefers oolong tea', '--tag', 'taste', '--occurred', '3 weeks ago'],
    ['Teas are in the left cupboard', '--tag', 'kitchen'],
    ['The office is in Graz', '--tag', 'work', '--user', 'bob'],
  ];
  for (const words of memories) await person.run(['add', ...words]);
});

afterAll(async () => {
  await person.close();
  await daemon.close();
});

describe('svc search', () => {
  test('shows the best match first, with matched words highlighted and relative times', async () => {
    const { out, code } = await person.run(['search', 'oolong', 'tea'], { tty: true, color: true });
    expect(code).toBe(0);
    expect(out.indexOf('oolong')).toBeLessThan(out.indexOf('cupboard'));
    expect(out).toContain('\u001b[7moolong\u001b[27m \u001b[7mtea\u001b[27m');
    expect(out).toContain('\u001b[7mTeas\u001b[27m');
    expect(out).toContain('3 weeks ago · #taste');
    expect(out).toMatch(/2 results in \d+ ms/);
  });

  test('writes no escape sequences without color', async () => {
    expect((await person.run(['search', 'tea'], TTY)).out).not.toContain('\u001b');
  });

  test.each([40, 60, 200])('fits in %i columns', async (columns) => {
    const { out } = await person.run(['search', 'oolong tea cupboard', '--explain'], { tty: true, columns });
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(out).toMatch(/words +█/);
  });

  test('prints rows when output is not a terminal, and the API response with --json', async () => {
    const rows = (await person.run(['search', 'tea'])).out.trimEnd().split('\n');
    expect(rows).toHaveLength(2);
    expect(rows[0]!.split('\t')).toHaveLength(6);
    const json = JSON.parse((await person.run(['search', 'tea', '--json', '--limit', '1', '--explain'])).out);
    expect(json).toMatchObject({ searchId: expect.any(String), results: [{ why: expect.any(Object) }] });
  });

  test('filters by tag, user, time and validity', async () => {
    const found = async (...words: string[]) =>
      JSON.parse((await person.run(['search', ...words, '--json'])).out).results.length;
    expect(await found('tea', '--tag', 'kitchen')).toBe(1);
    expect(await found('office', '--user', 'bob')).toBe(1);
    expect(await found('office')).toBe(0);
    expect(await found('tea', '--after', '1 week ago')).toBe(1);
    expect(await found('tea', '--before', '1 week ago')).toBe(1);
    expect(await found('tea', '--as-of', '2 weeks ago')).toBe(1);
    expect(await found('tea', '--types', 'message')).toBe(0);
  });

  test('finds by other wordings what the query has no word of', async () => {
    const find = async (...words: string[]) => (await person.run(['search', 'zebra', ...words])).out;
    expect(await find()).toBe('');
    expect(await find('--wording', 'giraffe', '--wording', 'oolong tea')).toContain('oolong');
  });

  test('explains why nothing was found', async () => {
    expect((await person.run(['search', 'zebra'], TTY)).out).toContain('Try other words');
    expect((await person.run(['search', 'zebra', '--tag', 'x'], TTY)).out).toContain('filters');
    const fresh = await createCliUser(daemon.baseUrl, (await daemon.signIn('fresh@example.com')).apiKey);
    expect((await fresh.run(['search', 'zebra'], TTY)).out).toContain('No memories yet');
    expect(await fresh.run(['search', 'zebra'])).toMatchObject({ out: '', code: 0 });
    await fresh.close();
  });

  test('escapes control characters in memories', async () => {
    await person.run(['add', 'giraffe \u001b]0;owned\u0007 crossing']);
    expect((await person.run(['search', 'giraffe'], TTY)).out).toContain('␛]0;owned␇');
  });

  test.each([
    [['tea', '--limit', '0'], /whole number/],
    [['tea', '--limit', '101'], /At most 100/],
    [['tea', '--types', 'song'], /memory, message, episode/],
    [[], /missing required argument/],
  ])('rejects %j as a usage error', async (words, expected) => {
    expect(await person.run(['search', ...words])).toMatchObject({ code: 2, err: expect.stringMatching(expected) });
  });

  test('remembers the short ids it shows', async () => {
    const { out } = await person.run(['search', 'oolong'], TTY);
    const short = /^([0-9a-f]{8}) /.exec(out)?.[1] ?? '';
    expect((await person.run(['show', short])).out).toContain('Ada prefers oolong tea');
  });
});
