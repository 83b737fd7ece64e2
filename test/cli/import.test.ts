import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkMemory } from '../../src/cli/memory/import-check.ts';
import { createLineReader } from '../../src/cli/memory/import-lines.ts';
import { runImport } from '../../src/cli/memory/import-run.ts';
import { createClient } from '../../src/client/client.ts';
import { QUOTAS } from '../../src/contract/limits.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type Person, personAt } from './memory-harness.ts';

/** `svc import` and `svc export`: many memories at once. */

let daemon: TestDaemon;
let person: Person;
let count = 0;

beforeAll(async () => {
  daemon = await startTestDaemon({ config: { quotas: 'A' } });
});

afterEach(() => person?.close());
afterAll(() => daemon.close());

async function newPerson(tier: 'Free' | 'Pro' = 'Pro'): Promise<{ apiKey: string }> {
  count += 1;
  const email = `import-${count}@example.com`;
  const { apiKey, account } = await daemon.signIn(email);
  if (tier !== 'Free') await daemon.accounts.setTier(account.tenantId, tier);
  person = await personAt(daemon.baseUrl, apiKey, daemon.clock);
  return { apiKey };
}

const ndjson = (objects: object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
const facts = (amount: number, word = 'Fact') =>
  Array.from({ length: amount }, (_, index) => ({ content: `${word} ${index}` }));
const imported = async (words: string[], stdin: string) => {
  const { out, code, err } = await person.run(['import', '-', '--json', ...words], { stdin });
  return { ...JSON.parse(out), code, err };
};

describe('svc import', () => {
  test('adds all, and twice adds nothing twice', async () => {
    await newPerson();
    const text = ndjson(facts(1203));
    expect(await imported([], text)).toMatchObject({ read: 1203, added: 1203, known: 0, skipped: [], code: 0 });
    expect(await imported([], text)).toMatchObject({ added: 0, known: 1203, code: 0 });
    daemon.clock.advance(25 * 3_600_000);
    expect(await imported([], text)).toMatchObject({ added: 0, known: 1203, code: 0 });
    const half = ndjson([...facts(1203), ...facts(10, 'New')]);
    expect(await imported([], half)).toMatchObject({ added: 10, known: 1203 });
  });

  test('brings back what was forgotten since', async () => {
    await newPerson();
    const text = ndjson(facts(3));
    await imported([], text);
    const { data } = JSON.parse((await person.run(['list', '--json'])).out);
    await person.run(['forget', data[0].id, '--yes']);
    expect(await imported([], text)).toMatchObject({ added: 1, known: 2, code: 0 });
  });

  test('leaves out what is no memory, and says where and why', async () => {
    await newPerson();
    const lines = [
      '{"content":"good"}',
      '',
      'no json',
      '{"content":" "}',
      '{"content":"x","colour":"red"}',
      '{"content":"x","occurredAt":"yesterday"}',
      '{"content":"x","supersedes":"mem_none"}',
      '{"content":"gone","expiresAt":"2020-01-01T00:00:00Z"}',
      '{"content":"old","id":"mem_1","supersededBy":"mem_2"}',
      '{"content":"also good","tags":["a"],"score":0.5,"user":null}',
    ];
    const { skipped, ...rest } = await imported(['--tag', 'b', '--user', 'ada'], lines.join('\r\n'));
    expect(rest).toMatchObject({ read: 9, added: 2, known: 0, code: 1, stopped: null });
    expect(skipped.map(({ line, fault }: { line: number; fault: boolean }) => [line, fault])).toEqual([
      [3, true],
      [4, true],
      [5, true],
      [6, true],
      [7, true],
      [8, false],
      [9, false],
    ]);
    expect(skipped.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining('--format lines'),
      'content is empty',
      expect.stringContaining('colour'),
      expect.stringContaining('occurredAt'),
      expect.stringContaining('supersedes'),
      'left out: expired',
      expect.stringContaining('superseded'),
    ]);
    const { data } = JSON.parse((await person.run(['list', '--json', '--user', 'ada'])).out);
    expect(data.map(({ tags }: { tags: string[] }) => tags)).toEqual([['a', 'b'], ['b']]);
  });

  test('tells a person in words', async () => {
    await newPerson();
    const { out, err, code } = await person.run(['import', '-'], { stdin: '{"content":"a"}\nx\n', tty: true });
    expect(out).toBe(
      'Imported 1 memory.\n1 line was skipped:\n  line 2: no JSON object (for lines of plain text give --format lines)\n',
    );
    expect([code, err.replaceAll(/\r\u001b\[K/g, '')]).toEqual([1, '']);
  });

  test('takes lines of plain text', async () => {
    await newPerson();
    expect(await imported(['--format', 'lines'], '  one \n\ntwo\n')).toMatchObject({ added: 2 });
    expect(JSON.parse((await person.run(['list', '--json'])).out).data[1].content).toBe('one');
  });

  test('large memories travel in batches that the daemon takes', async () => {
    await newPerson();
    const text = ndjson(Array.from({ length: 30 }, (_, index) => ({ content: `${index} ${'é'.repeat(90_000)}` })));
    expect(await imported([], text)).toMatchObject({ added: 30, code: 0 });
  });

  test('fills the quota to the last memory, then says when to go on', async () => {
    await newPerson('Free');
    const limit = QUOTAS.A.Free.dailyMemories!;
    const answer = await imported([], ndjson(facts(limit + 37)));
    expect(answer).toMatchObject({ added: limit, code: 1, stopped: { resetsAt: expect.any(String) } });
    expect(answer.err).toContain('nothing is added twice');
    daemon.clock.advance(24 * 3_600_000);
    expect(await imported([], ndjson(facts(limit + 37)))).toMatchObject({ added: 37, known: limit, code: 0 });
  });

  test('waits for the quota where it is asked to, and counts each memory once', async () => {
    const { apiKey } = await newPerson('Free');
    const limit = QUOTAS.A.Free.dailyMemories!;
    const said: string[] = [];
    const { tally, ended } = await runImport({
      client: createClient({ baseUrl: daemon.baseUrl, apiKey }),
      stream: (async function* () {
        yield Buffer.from(ndjson(facts(limit + 5)));
      })(),
      readLine: createLineReader('ndjson', {}, checkMemory, daemon.clock.nowMs()),
      clock: daemon.clock,
      waitForQuota: true,
      onProgress() {},
      onQuotaWait: (text) => said.push(text),
      sleep: async (ms) => daemon.clock.advance(ms),
    });
    expect({ ...tally, ended }).toEqual({ read: limit + 5, added: limit + 5, known: 0, skipped: [], ended: undefined });
    expect(said).toEqual([expect.stringMatching(/Waiting; it goes on (in|tomorrow|today)/)]);
  });

  test('what stops it half-way is told after what was done', async () => {
    await newPerson();
    const stranger = await personAt('http://127.0.0.1:9', `svc_live_${'0'.repeat(32)}`);
    const missing = await stranger.run(['import', join(stranger.folder, 'none')]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
    await stranger.close();
  });
});

describe('svc export', () => {
  test('writes every memory, and what it wrote can be imported elsewhere', async () => {
    await newPerson();
    await imported(['--user', 'ada'], ndjson(facts(203)));
    const old = (await person.run(['add', 'Old'])).out.trim();
    await person.run(['add', 'New', '--supersedes', old, '--occurred', '2026-01-02']);
    const file = join(person.folder, 'all.ndjson');
    expect(await person.run(['export', file])).toMatchObject({ out: `Exported 205 memories to ${file}.\n`, code: 0 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    expect((await person.run(['export'])).out).toBe(text);
    expect((await person.run(['export', '-', '--user', 'ada'])).out.split('\n')).toHaveLength(204);
    await person.close();
    await newPerson();
    expect(await imported([], text)).toMatchObject({ added: 204, code: 0, skipped: [{ fault: false }] });
    const { data } = JSON.parse((await person.run(['list', '--all', '--json'])).out);
    const dated = data.filter(({ occurredAt }: { occurredAt: string | null }) => occurredAt !== null);
    expect(dated).toHaveLength(204);
  });

  test('keeps a link and the former file until it is whole', async () => {
    await newPerson();
    await person.run(['add', 'One']);
    const file = join(person.folder, 'real');
    const link = join(person.folder, 'link');
    await writeFile(file, 'former');
    await symlink(file, link);
    expect(JSON.parse((await person.run(['export', link, '--json'])).out)).toEqual({ file: link, exported: 1 });
    expect(JSON.parse(await readFile(file, 'utf8')).content).toBe('One');
    const stranger = await personAt('http://127.0.0.1:9', `svc_live_${'0'.repeat(32)}`);
    expect(await stranger.run(['export', file])).toMatchObject({ code: 4 });
    expect(JSON.parse(await readFile(file, 'utf8')).content).toBe('One');
    await stranger.close();
    const nowhere = await person.run(['export', join(person.folder, 'none', 'file')]);
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('cannot be written') });
    await chmod(file, 0o600);
  });

  test('stops when nobody reads on', async () => {
    await newPerson();
    await imported([], ndjson(facts(450)));
    const { out, code } = await person.run(['export'], { readsOnly: 10 });
    expect([code, out.split('\n').length]).toEqual([0, 2]);
  });
});
