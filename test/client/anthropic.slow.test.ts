import { mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory';
import type { BetaMemoryTool20250818Command } from '@anthropic-ai/sdk/resources/beta';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryFiles } from '../../src/client/anthropic.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { startScriptedModel } from '../helpers/scripted-model/server.ts';
import { problem } from './scripted-server.ts';

let daemon: TestDaemon;
let client: Client;
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'files@example.com', 'Enterprise');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
});

afterAll(() => daemon.close());

/** A user without files, a minute later: the rate limit is that of the account. */
function newUser(): string {
  daemon.clock.advance(60_000);
  return `user ${++users}`;
}

/** Returns what the model reads. */
async function answerOf(handlers: MemoryToolHandlers, command: BetaMemoryTool20250818Command): Promise<string> {
  try {
    return String(await betaMemoryTool(handlers).run(command));
  } catch (error) {
    return `Error: ${(error as Error).message}`;
  }
}

/** The SDK's handlers for a local folder. Without its empty directories: svc has none. */
async function startReference() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-memories-'));
  const handlers = await BetaLocalFilesystemMemoryTool.init(folder);
  async function prune(path: string): Promise<void> {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      await prune(join(path, entry.name));
      await rmdir(join(path, entry.name)).catch(() => {});
    }
  }
  return {
    async answer(command: BetaMemoryTool20250818Command) {
      const answer = await answerOf(handlers, command);
      await prune(join(folder, 'memories'));
      return answer;
    },
    close: () => rm(folder, { recursive: true }),
  };
}

/** Directories have another size on other file systems. */
function withoutDirectorySizes(answer: string): string {
  if (!answer.startsWith("Here're")) return answer;
  return answer
    .split('\n')
    .map((line, index) => (index === 1 || line.endsWith('/') ? line.replace(/^\S+/, 'SIZE') : line))
    .join('\n');
}

async function expectSameAnswers(commands: readonly BetaMemoryTool20250818Command[]): Promise<void> {
  const reference = await startReference();
  const handlers = memoryFiles({ client, user: newUser() });
  for (const command of commands) {
    const expected = await reference.answer(command);
    const answer = await answerOf(handlers, command);
    // An error of the file system, with a path of the machine.
    if (/^Error: E[A-Z]+: /.test(expected)) expect([command, answer.startsWith('Error: ')]).toEqual([command, true]);
    else expect([command, withoutDirectorySizes(answer)]).toEqual([command, withoutDirectorySizes(expected)]);
  }
  await reference.close();
}

const view = (path: string, view_range?: number[]) =>
  ({ command: 'view', path, ...(view_range && { view_range }) }) as const;
const create = (path: string, file_text: string) => ({ command: 'create', path, file_text }) as const;
const replace = (path: string, old_str: string, new_str: string) =>
  ({ command: 'str_replace', path, old_str, new_str }) as const;
const insert = (path: string, insert_line: number, insert_text: string) =>
  ({ command: 'insert', path, insert_line, insert_text }) as const;
const remove = (path: string) => ({ command: 'delete', path }) as const;
const rename = (old_path: string, new_path: string) => ({ command: 'rename', old_path, new_path }) as const;

describe('files for the memory tool of Claude', () => {
  test('answers like the handlers of the SDK', async () => {
    await expectSameAnswers([
      view('/memories'),
      create('/memories/notes.md', 'one\ntwo\nthree\nfour\nfive\nsix\n'),
      create('/memories/notes.md', 'again'),
      create('/memories', 'root'),
      create('/memories/work/svc/Plan.md', 'one\ntwo\nthree\nfour\nfive\nsix\n'),
      create('/memories/work/svc/plan.md', 'ONE\ntwo\nthree\nfour\nfive\nsix\n'),
      create('/memories/work', 'a directory'),
      create('/memories/notes.md/below', 'a file'),
      create('/memories/empty', ''),
      create('/memories/spaces', ' \n\t\n '),
      create('/memories/grüße 你好.txt', 'é'.repeat(700)),
      create('/memories/.hidden/secret', 'x'),
      create('/memories/node_modules/x', 'x'),
      view('/memories'),
      view('/memories/'),
      view('/memories/work/'),
      view('/memories/.hidden'),
      view('/memories/notes.md'),
      view('/memories//./notes.md'),
      view('/memories/notes.md', [2, 3]),
      view('/memories/notes.md', [5, -1]),
      view('/memories/notes.md', [0, 99]),
      view('/memories/notes.md', [4, 2]),
      view('/memories/notes.md', [4]),
      view('/memories/empty'),
      view('/memories/spaces'),
      view('/memories/grüße 你好.txt'),
      view('/memories/nothing'),
      replace('/memories/notes.md', 'three', 'THREE $& $1\nand more'),
      replace('/memories/notes.md', 'one\ntwo', 'no'),
      replace('/memories/notes.md', 'e', 'no'),
      replace('/memories/notes.md', 'f', 'no'),
      replace('/memories/notes.md', '', 'no'),
      replace('/memories/empty', '', 'filled'),
      replace('/memories/work', 'a', 'b'),
      replace('/memories', 'a', 'b'),
      replace('/memories/nothing', 'a', 'b'),
      insert('/memories/notes.md', 0, 'zero\n'),
      insert('/memories/notes.md', 8, 'last'),
      insert('/memories/notes.md', 99, 'no'),
      insert('/memories/notes.md', -1, 'no'),
      insert('/memories/work', 0, 'no'),
      insert('/memories/nothing', 0, 'no'),
      view('/memories/notes.md'),
      rename('/memories/notes.md', '/memories/work/Notes.md'),
      rename('/memories/nothing', '/memories/else'),
      rename('/memories/empty', '/memories/work/Notes.md'),
      rename('/memories/work', '/memories/old/work'),
      rename('/memories/old', '/memories/old/older'),
      rename('/memories', '/memories/old/older'),
      rename('/memories/empty', '/memories'),
      view('/memories'),
      view('/memories/old/work/svc/Plan.md'),
      remove('/memories/old/work/svc/Plan.md'),
      remove('/memories/old'),
      remove('/memories/old'),
      remove('/memories'),
      view('/memories'),
      view('/memoriez'),
      view('/etc/passwd'),
      view('memories'),
      view('/memories/../etc/passwd'),
      remove('/memories/..'),
    ]);
  });

  test('answers like the handlers of the SDK to any commands', async () => {
    const path = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'a/b', 'A', 'b/c', 'b/c/d', 'b/c/d/e', '.h/a', 'ö ü') },
      { weight: 1, arbitrary: fc.constantFrom('', '/a/', './b', 'a//b') },
    );
    const at = path.map((rest) => `/memories/${rest}`);
    const line = fc.oneof(fc.constantFrom('', 'a', 'b', 'tea', '$&'), fc.string({ unit: 'grapheme', maxLength: 8 }));
    const text = fc
      .array(line, { maxLength: 5 })
      .map((lines) => lines.join('\n'))
      .filter((value) => !value.includes('\0') && value.isWellFormed());
    const range = fc.option(fc.tuple(fc.integer({ min: -2, max: 7 }), fc.integer({ min: -1, max: 7 })), {
      nil: undefined,
    });
    const command = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(at, text).map(([path, file_text]) => create(path, file_text)) },
      { weight: 2, arbitrary: fc.tuple(at, range).map(([path, lines]) => view(path, lines)) },
      fc.constant(view('/memories')),
      fc.tuple(at, fc.constantFrom('a', 'b', 'tea', ''), text).map((words) => replace(...words)),
      fc.tuple(at, fc.integer({ min: -1, max: 7 }), text).map((words) => insert(...words)),
      at.map(remove),
      { weight: 2, arbitrary: fc.tuple(at, at).map((paths) => rename(...paths)) },
    );
    const commands = fc.array(command, { minLength: 5, maxLength: 25 });
    await fc.assert(fc.asyncProperty(commands, expectSameAnswers), { numRuns: 10 });
  }, 60_000);

  test('stores each file as a memory of the user with a version for each edit', async () => {
    const user = newUser();
    const handlers = memoryFiles({ client, user });
    await answerOf(handlers, create('/memories/people/ada.md', 'Ada prefers oolong tea.\n'));
    await answerOf(handlers, insert('/memories/people/ada.md', 1, 'Never coffee after four.'));
    const { results } = await client.search({ query: 'What does Ada drink?', user });
    expect(results[0]).toMatchObject({ type: 'memory', externalId: '/memories/people/ada.md', origin: 'assistant' });
    const { data: versions } = await client.memories.history(results[0]!.id);
    expect(versions.map(({ content }) => content)).toEqual([
      '/memories/people/ada.md\n\nAda prefers oolong tea.\nNever coffee after four.\n',
      '/memories/people/ada.md\n\nAda prefers oolong tea.\n',
    ]);
    await answerOf(handlers, rename('/memories/people', '/memories/friends'));
    expect((await client.memories.history(results[0]!.id)).data).toHaveLength(3);
    // A person who edits the memory may remove its title.
    await client.memories.update(results[0]!.id, { content: 'Mate.' });
    expect(await answerOf(handlers, view('/memories/friends/ada.md'))).toMatch(/ {5}1\tMate\.$/);
  });

  test('keeps the files of users apart', async () => {
    const [ada, bo] = [newUser(), newUser()].map((user) => memoryFiles({ client, user })) as [
      MemoryToolHandlers,
      MemoryToolHandlers,
    ];
    await answerOf(ada, create('/memories/notes', 'tea'));
    expect(await answerOf(bo, view('/memories/notes'))).toContain('does not exist');
    expect(await answerOf(bo, view('/memories'))).toMatch(/:\n4K\t\/memories$/);
    expect(await answerOf(bo, create('/memories/notes', 'tea'))).toContain('successfully');
    expect(await answerOf(bo, remove('/memories/notes'))).toContain('Successfully');
    expect(await answerOf(ada, view('/memories/notes'))).toContain('tea');
  });

  test('loses no edit of a file that several handlers edit at once', async () => {
    const user = newUser();
    await answerOf(memoryFiles({ client, user }), create('/memories/list', 'first'));
    const edits = Array.from({ length: 8 }, (_, index) =>
      answerOf(memoryFiles({ client, user }), insert('/memories/list', 1, index < 4 ? 'same' : `line ${index}`)),
    );
    expect(new Set(await Promise.all(edits))).toEqual(new Set(['The file /memories/list has been edited.']));
    const text = await answerOf(memoryFiles({ client, user }), view('/memories/list'));
    expect(text.match(/\tsame$/gm)).toHaveLength(4);
    expect(text.match(/\tline \d$/gm)).toHaveLength(4);
    const created = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        answerOf(memoryFiles({ client, user }), create('/memories/new', `by ${index}`)),
      ),
    );
    expect(created.filter((answer) => answer.startsWith('File created'))).toHaveLength(1);
  });

  test('does not apply an edit twice if its answer is lost', async () => {
    const user = newUser();
    const apiKey = (await makeTenant(daemon, 'lost@example.com')).apiKey;
    const losing = createClient({
      baseUrl: daemon.baseUrl,
      apiKey,
      async fetch(url, request) {
        const response = await fetch(url, request as RequestInit);
        if (request.method === 'PATCH') throw new TypeError('connection lost');
        return response;
      },
    });
    const sound = memoryFiles({ client: createClient({ baseUrl: daemon.baseUrl, apiKey }), user });
    await answerOf(sound, create('/memories/list', 'first'));
    const edit = insert('/memories/list', 1, 'second');
    expect(await answerOf(memoryFiles({ client: losing, user }), edit)).toMatch(/^Error: /);
    expect((await answerOf(sound, view('/memories/list'))).match(/second/g)).toHaveLength(1);
  });

  test('waits for a busy daemon', async () => {
    const { apiKey } = await makeTenant(daemon, 'busy@example.com');
    let refusals = 2;
    const busy = createClient({
      baseUrl: daemon.baseUrl,
      apiKey,
      async fetch(url, request) {
        if (request.method !== 'PATCH' || refusals === 0) return fetch(url, request as RequestInit);
        refusals -= 1;
        const { status, body } = problem('rate_limited', 429);
        return new Response(JSON.stringify(body), { status, headers: { 'retry-after': '0' } });
      },
    });
    const handlers = memoryFiles({ client: busy });
    await answerOf(handlers, create('/memories/list', 'first'));
    expect(await answerOf(handlers, insert('/memories/list', 1, 'second'))).toContain('has been edited');
    refusals = 9;
    expect(await answerOf(handlers, insert('/memories/list', 1, 'third'))).toBe('Error: It is rate_limited.');
  });

  test.each([
    '/memories/a/../b',
    '/memories/%2e%2e/etc',
    '/memories/%252E%252e%252fetc',
    '/memories/..%2f..',
    '/memories/..\\..',
    '/memoriesx',
    '/memories/a\0b',
    '/memories/a%00b',
    '/memories/a\nb',
    '/memories/\ud800',
    `/memories/${'x'.repeat(250)}`,
    `/memories${'/x'.repeat(70)}`,
  ])('refuses the path %j in every command', async (path) => {
    const handlers = memoryFiles({ client, user: 'nobody' });
    const ok = '/memories/fine';
    const commands = [view(path), create(path, ''), replace(path, 'a', 'b'), insert(path, 0, 'a'), remove(path)];
    for (const command of [...commands, rename(path, ok), rename(ok, path)]) {
      expect(await answerOf(handlers, command)).toMatch(/^Error: (Path|The path \/memories\/fine does not exist)/);
    }
    expect((await client.memories.list({ user: 'nobody' })).data).toEqual([]);
  });

  test('accepts a percent sign that encodes nothing dangerous', async () => {
    await expectSameAnswers([create('/memories/100%', 'a'), create('/memories/%41..b', 'a'), view('/memories')]);
  });

  test('says how large a file may be, and refuses what is no text', async () => {
    const handlers = memoryFiles({ client, user: newUser() });
    const tooLarge = await answerOf(handlers, create('/memories/large', 'x'.repeat(100_000)));
    expect(tooLarge).toBe('Error: /memories/large would have 100000 characters; at most 99983 fit. Split it.');
    await answerOf(handlers, create('/memories/large', 'x'.repeat(99_983)));
    expect(await answerOf(handlers, insert('/memories/large', 0, 'x'))).toMatch(/would have 99985 characters/);
    expect(await answerOf(handlers, create('/memories/none', undefined as unknown as string))).toBe(
      'Error: `file_text` must be a string',
    );
    expect(await answerOf(handlers, create('/memories/nul', 'a\0b'))).toContain('contains a NUL character');
  });

  test('serves the tool runner of the SDK, over the Messages API', async () => {
    const model = await startScriptedModel();
    const api = new Anthropic({ baseURL: model.url, apiKey: 'none' });
    const user = newUser();
    const tools = [betaMemoryTool(memoryFiles({ client, user }))];
    const messages = [{ role: 'user' as const, content: 'Remember that I drink tea.' }];
    const body = { model: 'scripted', max_tokens: 1000, messages, tools };
    model.answers(
      { tool: 'memory', input: view('/memories') },
      { tool: 'memory', input: create('/memories/taste.md', 'Drinks tea.') },
      { tool: 'memory', input: create('/memories/taste.md', 'Drinks tea.') },
      { text: 'I will remember.' },
    );
    const message = await api.beta.messages.toolRunner(body).runUntilDone();
    expect(message.content).toMatchObject([{ type: 'text', text: 'I will remember.' }]);
    expect(model.requests[0]!.toolText).toBe('[{"type":"memory_20250818","name":"memory"}]');
    expect(model.requests[1]!.text).toContain("Here're the files and directories");
    expect(model.requests[2]!.text).toContain('File created successfully at: /memories/taste.md');
    expect(model.requests[3]!.text).toContain('File /memories/taste.md already exists');
    model.answers({ tool: 'memory', input: view('/memories/taste.md') }, { text: 'Tea.' });
    await api.beta.messages.toolRunner({ ...body, stream: true, thread: false }).runUntilDone();
    expect(model.requests[5]!.text).toContain('     1\tDrinks tea.');
    await model.close();
  });
});
