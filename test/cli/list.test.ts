import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;
const TTY = { tty: true };

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('list@example.com'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  const memories = Array.from({ length: 450 }, (_, index) => ({
    content: `Fact number ${index}\nwith a second line`,
    tags: index % 3 === 0 ? ['third'] : [],
  }));
  await daemon.call(apiKey, '/v1/memories/batch', { body: { memories } });
});

afterAll(async () => {
  await person.close();
  await daemon.close();
});

describe('svc list', () => {
  test('shows the newest twenty and how to see more', async () => {
    const { out } = await person.run(['list'], TTY);
    expect(out.match(/Fact number/g)).toHaveLength(20);
    expect(out).toContain('More available: --limit 100, or --all');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('prints one line per memory when output is not a terminal', async () => {
    const rows = (await person.run(['list', '--limit', '3'])).out.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').length)).toEqual([5, 5, 5]);
    expect(rows[0]).toMatch(/^mem_[0-9a-f]{32}\t.*Z\tdefault\t.*Fact number \d+ with a second line$/);
  });

  test('fetches as many pages as needed, and continues from a cursor', async () => {
    const list = async (...words: string[]) => JSON.parse((await person.run(['list', ...words, '--json'])).out);
    expect((await list('--all')).data).toHaveLength(450);
    const first = await list('--limit', '250');
    expect(first.data).toHaveLength(250);
    const rest = await list('--limit', '250', '--cursor', first.nextCursor);
    expect(rest).toMatchObject({ nextCursor: null });
    expect(new Set([...first.data, ...rest.data].map(({ id }: { id: string }) => id)).size).toBe(450);
    expect((await list('--tag', 'third', '--all')).data).toHaveLength(150);
  });

  test('stops when the reader goes away', async () => {
    const { out, code } = await person.run(['list', '--all'], { readerStopsAfter: 100 });
    expect(code).toBe(0);
    expect(out.match(/Fact number/g)).toHaveLength(200);
  });

  test('reports an empty list', async () => {
    expect((await person.run(['list', '--tag', 'none'], TTY)).out).toBe('No memories match these filters.\n');
    expect(await person.run(['list', '--tag', 'none'])).toMatchObject({ out: '', code: 0 });
  });
});
