import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CommandInput } from '../../src/cli/command-context.ts';
import { createHttpFetch } from '../../src/cli/http-fetch.ts';
import { importSource } from '../../src/cli/memory/import-source.ts';
import { uploadImport } from '../../src/cli/memory/import-upload.ts';
import { ApiError, createClient, UnreachableError } from '../../src/client/client.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { QUOTAS } from '../../src/contract/limits.ts';
import type { SearchAnswer } from '../../src/contract/search.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

/** `svc import` and `svc export`. */

let daemon: TestDaemon;
let person: CliUser;
let count = 0;

beforeAll(async () => {
  daemon = await startTestDaemon({
    config: { quotas: 'A', storageLimits: { Free: 65_536, Pro: null, Enterprise: null } },
  });
});

afterEach(() => person?.close());
afterAll(() => daemon.close());

async function newPerson(tier: 'Free' | 'Pro' = 'Pro'): Promise<{ apiKey: string }> {
  count += 1;
  const email = `import-${count}@example.com`;
  const { apiKey, account } = await daemon.signIn(email);
  if (tier !== 'Free') await daemon.accounts.setTier(account.tenantId, tier);
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  return { apiKey };
}

const ndjson = (objects: object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
const facts = (amount: number, word = 'Fact') =>
  Array.from({ length: amount }, (_, index) => ({ content: `${word} ${index}` }));
const none = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0, suggestions: 0 };
const memories = (amount: number) => ({ ...none, memories: amount });
const imported = async (words: string[], stdin: string) => {
  const { out, code, err } = await person.run(['import', '-', '--json', ...words], { stdin });
  return { ...JSON.parse(out), code, err };
};

/** What the upload of some facts takes beside a client, and without an interest in its progress. */
const upload = (amount: number, repeatable = true) => ({
  source: { open: () => bytesOf(ndjson(facts(amount))), bytes: undefined, repeatable },
  options: { format: 'svc' as const },
  clock: daemon.clock,
  random: systemRandom,
  waitForQuota: false,
  onProgress() {},
  onWait() {},
  sleep: async () => {},
});

describe('svc import', () => {
  test('adds everything once, even if repeated', async () => {
    await newPerson();
    const text = ndjson(facts(603));
    const all = { added: memories(603), known: none, skipped: 0, reasons: [], complete: true, stopped: null };
    expect(await imported([], text)).toEqual({ ...all, code: 0, err: '' });
    expect(await imported([], text)).toMatchObject({ added: none, known: memories(603), code: 0 });
    daemon.clock.advance(25 * 3_600_000);
    const half = ndjson([...facts(603), ...facts(10, 'New')]);
    expect(await imported([], half)).toMatchObject({ added: memories(10), known: memories(603) });
  });

  test('restores memories forgotten since the first import', async () => {
    await newPerson();
    const text = ndjson(facts(3));
    await imported([], text);
    const { data } = JSON.parse((await person.run(['list', '--json'])).out);
    await person.run(['forget', data[0].id, '--yes']);
    expect(await imported([], text)).toMatchObject({ added: memories(1), known: memories(2), code: 0 });
  });

  test('skips invalid entries and reports where and why', async () => {
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
    const { reasons, ...rest } = await imported(['--tag', 'b', '--user', 'ada'], lines.join('\r\n'));
    expect(rest).toMatchObject({ added: memories(2), known: none, skipped: 7, code: 1, stopped: null });
    expect(reasons).toEqual([
      { place: 'line 3', reason: expect.stringContaining('--format lines'), fault: true },
      { place: 'line 4', reason: 'content is empty', fault: true },
      { place: 'line 5', reason: expect.stringContaining('colour'), fault: true },
      { place: 'line 6', reason: expect.stringContaining('occurredAt'), fault: true },
      { place: 'line 7', reason: expect.stringContaining('supersedes'), fault: true },
      { place: 'line 8', reason: 'left out: expired', fault: false },
      { place: 'line 9', reason: expect.stringContaining('superseded'), fault: false },
    ]);
    const { data } = JSON.parse((await person.run(['list', '--json', '--user', 'ada'])).out);
    expect(data.map(({ tags }: { tags: string[] }) => tags)).toEqual([['a', 'b'], ['b']]);
  });

  test('prints a readable report on a terminal', async () => {
    await newPerson();
    const { out, err, code } = await person.run(['import', '-'], { stdin: '{"content":"a"}\nx\n', tty: true });
    expect(out).toBe(
      'Imported 1 memory.\n1 entry skipped:\n  line 2  is not a JSON object (plain text needs --format lines, a file of another system its own --format)\n',
    );
    expect([code, err.replaceAll(/\r\u001b\[K[^\r]*/g, '')]).toEqual([1, '']);
  });

  test('tells a reason once and again for a few lines, and how many more there are', async () => {
    await newPerson();
    const { out } = await person.run(['import', '-'], { stdin: 'a\n'.repeat(30), tty: true });
    const [, count, ...lines] = out.trimEnd().split('\n');
    expect(count).toBe('30 entries skipped:');
    expect(lines.map((line) => line.trim().split('  ')[0])).toEqual([
      ...['line 1', 'line 2', 'line 3'],
      'and 27 more for the same reason',
    ]);
  });

  test('imports plain text, one memory per line', async () => {
    await newPerson();
    expect(await imported(['--format', 'lines'], '  one \n\ntwo\n')).toMatchObject({ added: memories(2) });
    expect(JSON.parse((await person.run(['list', '--json'])).out).data[1].content).toBe('one');
  });

  test('imports large memories', async () => {
    await newPerson();
    const text = ndjson(Array.from({ length: 12 }, (_, index) => ({ content: `${index} ${'é'.repeat(90_000)}` })));
    expect(await imported([], text)).toMatchObject({ added: memories(12), code: 0 });
  });

  test('uses up the quota exactly, then says when it resets', async () => {
    await newPerson('Free');
    const limit = QUOTAS.A.Free.dailyMemories!;
    const answer = await imported([], ndjson(facts(limit + 37)));
    expect(answer).toMatchObject({ added: memories(limit), code: 1, stopped: { resetsAt: expect.any(String) } });
    expect(answer.err).toMatch(
      /^svc: You have used 100 of 100 memories today\. Resets on \d+ \w+ \d{4}, \d\d:\d\d\.\n/,
    );
    expect(answer.err.replaceAll(/\s+/g, ' ')).toContain('or now with --wait: nothing is added twice.');
    expect(Math.max(...answer.err.split('\n').map(({ length }: string) => length))).toBeLessThanOrEqual(80);
    daemon.clock.advance(24 * 3_600_000);
    const again = await imported([], ndjson(facts(limit + 37)));
    expect(again).toMatchObject({ added: memories(37), known: memories(limit), code: 0 });
  });

  test('with --wait, waits for the quota and counts each memory once', async () => {
    const { apiKey } = await newPerson('Free');
    const limit = QUOTAS.A.Free.dailyMemories!;
    const waits: string[] = [];
    const { report, error } = await uploadImport({
      client: createClient({ baseUrl: daemon.baseUrl, apiKey }),
      ...upload(limit + 5),
      waitForQuota: true,
      onWait: (text) => waits.push(text),
      sleep: async (ms) => daemon.clock.advance(ms),
    });
    expect({ ...report, error }).toMatchObject({ added: memories(limit + 5), known: none, error: undefined });
    expect(waits).toEqual([expect.stringMatching(/Waiting; resumes (in|tomorrow|today)/)]);
    const refused = await person.run(['import', '-', '--wait'], { stdin: '' });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--wait needs a file') });
  });

  test('with --wait, does not wait for room: only deleting frees it', async () => {
    await newPerson('Free');
    const file = join(person.folder, 'large.ndjson');
    await writeFile(
      file,
      ndjson(Array.from({ length: 9 }, (_, index) => ({ content: `${index} ${'x'.repeat(9000)}` }))),
    );
    const answer = await person.run(['import', file, '--wait']);
    expect(answer).toMatchObject({
      code: 1,
      err: expect.stringMatching(/of 65,536 bytes of text, and this adds \d,\d{3}\. Delete something to free room/),
    });
    expect(await person.run(['list', '--json'])).toMatchObject({ code: 0, out: expect.stringContaining('xxx') });
  });

  test('retries from the beginning a limited number of times after a connection failure', async () => {
    const { apiKey } = await newPerson();
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey, fetch: createHttpFetch() });
    const tries: number[] = [];
    const sending = (breaks: number, repeatable = true) =>
      uploadImport({
        client: {
          import(source, options) {
            tries.push(1);
            if (tries.length <= breaks) throw new UnreachableError('The connection broke.');
            return client.import(source, options);
          },
        },
        ...upload(3, repeatable),
        sleep: async () => {},
      });
    expect(await sending(2)).toMatchObject({ report: { added: memories(3) } });
    expect(tries).toHaveLength(3);
    tries.length = 0;
    expect(await sending(100)).toMatchObject({ error: { message: 'The connection broke.' } });
    expect(tries).toHaveLength(6);
    tries.length = 0;
    expect(await sending(100, false)).toMatchObject({ error: { message: 'The connection broke.' } });
    expect(tries).toHaveLength(1);
  });

  test('does not retry before the daemon asks, however late that is', async () => {
    const answers = [
      { code: 'rate_limited', seconds: '45' },
      { code: 'unavailable', seconds: '90' },
    ];
    const waits: number[] = [];
    const { error } = await uploadImport({
      client: {
        import() {
          const { code, seconds } = answers.shift() ?? { code: 'invalid_request', seconds: '' };
          const problem = { type: '', title: '', status: 503, detail: code, code: code as ErrorCode, requestId: '' };
          throw new ApiError(problem, { status: 503, headers: new Headers({ 'retry-after': seconds }) });
        },
      },
      ...upload(1),
      sleep: async (ms) => void waits.push(ms),
    });
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(waits).toEqual([45_000, 90_000]);
  });

  /** Runs `svc import` of one fact at a server that answers in place of the daemon. */
  async function importAt(answer: RequestListener, options: Parameters<CliUser['run']>[1] = {}, words: string[] = []) {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { apiKey } = await newPerson();
    const other = await createCliUser(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey,
      daemon.clock,
    );
    const file = join(other.folder, 'facts.ndjson');
    await writeFile(file, ndjson(facts(1)));
    const ran = await other.run(['import', file, ...words], options);
    await other.close();
    server.closeAllConnections();
    server.close();
    return { ...ran, err: ran.err.replaceAll(/\s+/g, ' ') };
  }

  function refuse(response: ServerResponse, code: string, more: object = {}) {
    const problem = {
      type: `urn:svc:problem:${code}`,
      title: '',
      status: 503,
      detail: 'Not now.',
      code,
      requestId: 'a',
    };
    response.writeHead(503, { 'retry-after': '7200', 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ ...problem, ...more }));
  }

  test('does not wait for minutes, but says when to run it again', async () => {
    const { code, err } = await importAt((_request, response) => refuse(response, 'unavailable'));
    expect(code).toBe(1);
    expect(err).toMatch(
      /^svc: Not now\. It accepts imports again (today|tomorrow) \d\d:\d\d \(.*\)\. Run the same command again after that: nothing is added twice\. $/,
    );
  });

  test.each([
    ['while it sends', () => {}, []],
    [
      'while it waits for a quota',
      (response: ServerResponse) => refuse(response, 'quota_exceeded', { resetsAt: '2100-01-01T00:00:00.000Z' }),
      ['--wait'],
    ],
  ])('says at Ctrl-C %s that the daemon goes on with what it has, and how to continue', async (_, answer, words) => {
    let interrupt = (_signal: string) => {};
    const interrupted = new Promise<string>((resolve) => {
      interrupt = resolve;
    });
    const answerAndInterrupt: RequestListener = (_request, response) => {
      answer(response);
      interrupt('SIGINT');
    };
    const { code, out, err } = await importAt(answerAndInterrupt, { interrupted }, words);
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(err).toContain('svc: Interrupted. The daemon still adds what it has already received. Run the same command');
  });

  test('rejects unreadable sources with advice', async () => {
    await newPerson();
    const folder = join(person.folder, 'notes');
    await mkdir(folder);
    const missing = await person.run(['import', join(folder, 'none')]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Cannot read') });
    const wrongFormat = await person.run(['import', folder]);
    expect(wrongFormat).toMatchObject({ code: 2, err: expect.stringContaining('--format basic-memory') });
    await writeFile(join(folder, 'chatgpt.zip'), '');
    const packed = await person.run(['import', join(folder, 'chatgpt.zip'), '--format', 'chatgpt']);
    expect(packed).toMatchObject({ code: 2, err: expect.stringContaining('conversations.json') });
    await writeFile(join(folder, 'note.md'), 'Tea');
    const note = await person.run(['import', join(folder, 'note.md'), '--format', 'basic-memory']);
    expect(note).toMatchObject({ code: 2, err: expect.stringContaining('Import the folder') });
    await writeFile(join(folder, 'all.ndjson.gz'), '');
    const zipped = await person.run(['import', join(folder, 'all.ndjson.gz')]);
    expect(zipped).toMatchObject({ code: 2, err: expect.stringContaining('all.ndjson.gz | svc import -') });
    await writeFile(join(folder, 'fact.ndjson'), ndjson(facts(1)));
    expect(await person.run(['import', join(folder, 'fact.ndjson')])).toMatchObject({ code: 0 });
  });

  test('escapes control characters from the file', async () => {
    await newPerson();
    const stdin = ndjson([{ content: 'Tea', 'a\u001b[31m\u202e\nb': 1 }, { content: 'Coffee' }]);
    const { out } = await person.run(['import', '-'], { stdin });
    expect(out).toContain('a\u241b[31m\ufffd b\n');
    expect(out).toContain('Imported 1 memory.');
    expect(out).not.toMatch(/[\u001b\u202e]/);
  });

  test('reports notes that are not UTF-8 instead of storing them with other letters', async () => {
    await newPerson();
    const vault = join(person.folder, 'vault');
    await mkdir(vault);
    await writeFile(join(vault, 'good.md'), 'Jörg likes oolong\n');
    await writeFile(join(vault, 'latin.md'), Buffer.from('Das M\xfcsli ist f\xfcr J\xf6rg\n', 'latin1'));
    await writeFile(join(vault, 'windows.md'), Buffer.from('\ufeffJoerg likes oolong\n', 'utf16le'));
    const { out } = await person.run(['import', vault, '--format', 'basic-memory', '--json']);
    expect(JSON.parse(out)).toMatchObject({ added: memories(1), skipped: 2 });
    expect(out.match(/The note is not UTF-8 text/g)).toHaveLength(2);
    expect(out).toMatch(/latin\.md[\s\S]*windows\.md/);
  });

  test('sends only the notes of a folder, sorted by name', async () => {
    await newPerson();
    const folder = join(person.folder, 'vault');
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'b.md'), 'second');
    await writeFile(join(folder, 'deep', 'c.md'), 'third');
    await writeFile(join(folder, 'a.md'), 'first');
    await mkdir(join(folder, '.trash'));
    await mkdir(join(folder, 'a folder.md'));
    for (const other of ['picture.png', '.hidden.md', '.trash/old.md']) await writeFile(join(folder, other), 'none');
    const { open, bytes } = await importSource(folder, 'basic-memory', { isTty: false } as CommandInput);
    let text = '';
    for await (const chunk of open()) text += Buffer.from(chunk).toString();
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { path: 'a.md', content: 'first' },
      { path: 'b.md', content: 'second' },
      { path: 'deep/c.md', content: 'third' },
    ]);
    expect(bytes).toBe(16);
  });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('svc export', () => {
  test('writes the whole account, which imports unchanged into another', async () => {
    await newPerson();
    await imported(['--user', 'ada'], ndjson(facts(203)));
    const old = (await person.run(['add', 'Old'])).out.trim();
    await person.run(['add', 'New', '--supersedes', old, '--occurred', '2026-01-02']);
    const file = join(person.folder, 'all.ndjson');
    expect(await person.run(['export', file])).toMatchObject({ out: `Exported 205 memories to ${file}.\n`, code: 0 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    expect(withoutHead((await person.run(['export'])).out)).toBe(withoutHead(text));
    expect((await person.run(['export', '-', '--user', 'ada'])).out.split('\n')).toHaveLength(206);
    await person.close();
    await newPerson();
    expect(await imported([], text)).toMatchObject({ added: memories(205), code: 0, skipped: 0 });
    expect(withoutHead((await person.run(['export'])).out)).toBe(withoutHead(text));
    const cut = text.slice(0, text.indexOf('\n', 2000) + 1);
    const { out, code } = await person.run(['import', '-'], { stdin: cut });
    expect([out, code]).toEqual([expect.stringContaining('is truncated'), 1]);
  });

  test('counts the users with learned rankings, as does the import', async () => {
    const { apiKey } = await newPerson();
    const search = async (user: string) => {
      await person.run(['add', `Plum jam of ${user}`, '--user', user]);
      return (await daemon.call<SearchAnswer>(apiKey, '/v1/search', { body: { query: 'plum', user } })).body;
    };
    for (const user of ['ada', 'ben']) {
      const { searchId, results } = await search(user);
      await daemon.call(apiKey, `/v1/searches/${searchId}/feedback`, { body: { used: [results[0]!.id] } });
    }
    const file = join(person.folder, 'all.ndjson');
    const counts = '2 memories, learned rankings for 2 users';
    expect((await person.run(['export', file])).out).toBe(`Exported ${counts} to ${file}.\n`);
    const one = '1 memory, learned rankings for 1 user';
    expect((await person.run(['export', file, '--user', 'ada', '--force'])).out).toBe(`Exported ${one} to ${file}.\n`);
    expect((await person.run(['import', file])).out).toBe(`Imported nothing.\nAlready stored: ${one}.\n`);
    const { apiKey: other } = await daemon.signIn('import-elsewhere@example.com');
    const elsewhere = await createCliUser(daemon.baseUrl, other, daemon.clock);
    expect(await elsewhere.run(['import', file])).toMatchObject({ out: `Imported ${one}.\n`, code: 0 });
    await elsewhere.close();
  });

  test('follows a symbolic link and keeps the previous file until the export is complete', async () => {
    await newPerson();
    await person.run(['add', 'One']);
    const file = join(person.folder, 'real');
    const link = join(person.folder, 'link');
    await writeFile(file, 'former');
    await symlink(file, link);
    const summary = JSON.parse((await person.run(['export', link, '--json', '--force'])).out);
    expect(summary).toEqual({ file: link, exported: memories(1) });
    const content = async () => JSON.parse((await readFile(file, 'utf8')).split('\n')[1]!).content;
    expect(await content()).toBe('One');
    const stranger = await createCliUser('http://127.0.0.1:9', `svc_live_${'0'.repeat(32)}`);
    expect(await stranger.run(['export', file, '--force'])).toMatchObject({ code: 4 });
    expect(await content()).toBe('One');
    await stranger.close();
    const nowhere = await person.run(['export', join(person.folder, 'none', 'file')]);
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringMatching(/Cannot write .*\/none\/file: ENOENT/) });
    expect(nowhere.err).not.toContain('svc-draft');
    await chmod(file, 0o600);
  });

  test('replaces a file only with --force, or after asking', async () => {
    await newPerson();
    await person.run(['add', 'One']);
    const file = join(person.folder, 'precious');
    const link = join(person.folder, 'link');
    await writeFile(file, 'precious');
    await symlink(file, link);
    for (const path of [file, link]) {
      const refused = await person.run(['export', path]);
      const err = `svc: ${path} already exists. Choose another name, or replace it with --force.\n`;
      expect(refused).toEqual({ out: '', err, code: 1, questions: [], hidden: [] });
      const declined = await person.run(['export', path], { tty: true, typed: 'n' });
      expect(declined).toMatchObject({ err: 'svc: Nothing was changed.\n', code: 1 });
      expect(declined.questions).toEqual([`${path} already exists. Replace it? [y/N] `]);
    }
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(await person.run(['export', file], { tty: true, typed: 'y' })).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toContain('"content":"One"');
    const forced = await person.run(['export', file, '--force'], { tty: true });
    expect(forced).toMatchObject({ code: 0, questions: [] });
  });

  test('writes to a named pipe without replacing it', async () => {
    await newPerson();
    await imported([], ndjson(facts(203)));
    const pipe = join(person.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [{ out, code }, text] = await Promise.all([person.run(['export', pipe]), readFile(pipe, 'utf8')]);
    expect([out, code]).toEqual([`Exported 203 memories to ${pipe}.\n`, 0]);
    expect(withoutHead(text)).toBe(withoutHead((await person.run(['export'])).out));
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  test('stops when the reader goes away', async () => {
    await newPerson();
    await imported([], ndjson(facts(450)));
    const { out, code } = await person.run(['export'], { readerStopsAfter: 10 });
    expect([code, out.split('\n').length]).toEqual([0, 2]);
  });
});

function withoutHead(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
