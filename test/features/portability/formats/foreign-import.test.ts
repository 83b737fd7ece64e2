import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation, Message } from '../../../../src/contract/conversations.ts';
import type { Memory } from '../../../../src/contract/memories.ts';
import { type CliUser, createCliUser } from '../../../cli/memory-harness.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { conversing } from '../../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../../memories/memory-daemon.ts';
import { NONE, newAccount, portable } from '../portable-account.ts';
import { FIXTURES, fixture, fixturePath, READER_OPTIONS, read, recordsOf } from '../read-fixture.ts';

/** Imports files from other systems end to end, through the API and the command line, and searches for their content. */

let daemon: MemoryDaemon;

beforeAll(async () => {
  const clock = createTestClock();
  clock.setWall(READER_OPTIONS.nowMs);
  daemon = await startMemoryDaemon({ clock });
});
afterAll(() => daemon.close());

/** A query for each file, the user to search as, and the expected content. */
const SEARCHES: Record<string, { query: string; user: string | undefined; content: RegExp }> = {
  'chatgpt-conversations.json': { query: 'San Cosimato', user: undefined, content: /^Day one: Trastevere on foot/ },
  'claude-conversations.json': { query: 'too much yeast', user: undefined, content: /Use a third less yeast/ },
  'claude-memories.json': { query: 'bakery', user: undefined, content: /^Runs a bakery in La Paz/ },
  'mem0-memories.json': { query: 'allergies to nuts', user: 'alex', content: /^Is vegetarian/ },
  'basic-memory-notes.ndjson': { query: 'sencha temperature', user: undefined, content: /^Sencha wants water/ },
  'mcp-memory.jsonl': { query: 'who plays the viola', user: undefined, content: /^Ada: Plays the viola/ },
};
const CASES = FIXTURES.map((known) => ({
  ...known,
  ...SEARCHES[known.file]!,
  skipped: known.omissions + known.faults,
}));
const countsOf = ({ memories, conversations, messages }: (typeof CASES)[number]) => ({
  ...{ ...NONE, memories, conversations, messages },
});

async function findFirst(caller: Caller, { query }: { query: string }, user: string): Promise<string | undefined> {
  return (await caller.find(query, { user, types: ['memory', 'message'] }))[0];
}

describe('a file from another system', () => {
  test.each(CASES)('$file is imported and can be searched; a second import adds nothing', async (known) => {
    const caller = await newAccount(daemon);
    const bytes = await fixture(known.file);
    const { format, skipped, faults, user = 'default' } = known;
    const send = async () => (await portable(caller).send(bytes, `?format=${format}&tag=imported`)).body;
    const first = await send();
    expect(first).toMatchObject({ added: countsOf(known), known: NONE, skipped, complete: true });
    expect(first.reasons.filter(({ fault }) => fault)).toHaveLength(faults);
    const lines = await portable(caller).lines();
    daemon.clock.advance(60_000);
    expect(await send()).toMatchObject({ added: NONE, known: countsOf(known), skipped });
    expect(await portable(caller).lines()).toEqual(lines);
    expect(await findFirst(caller, known, user)).toMatch(known.content);
    expect(await caller.list('?tag=imported&limit=100')).toHaveLength(known.memories);
    expect((await caller.call('/v1/usage?days=1')).body).toMatchObject({ days: [{ memories: known.memories }] });
  });

  test.each(CASES.filter(({ conversations }) => conversations > 0))(
    '$file keeps the roles and the order of its messages',
    async (known) => {
      const caller = await newAccount(daemon);
      const bytes = await fixture(known.file);
      await portable(caller).send(bytes, `?format=${known.format}`);
      const records = await read(known.format, bytes);
      const { data } = (await caller.call<{ data: Conversation[] }>('/v1/conversations')).body;
      const expected = recordsOf(records, 'conversation');
      expect(data.map(({ id, title }) => [id, title]).sort()).toEqual(
        expected.map(({ id, title }) => [id, title]).sort(),
      );
      for (const { id } of expected) {
        const messages = recordsOf(records, 'message').filter(({ conversationId }) => conversationId === id);
        const page = (await conversing(caller).page(id, '?order=oldest')).data;
        const seen = (all: { role: string; content: unknown }[]) => all.map(({ role, content }) => [role, content]);
        expect(seen(page)).toEqual(seen(messages));
        expect(page.map(({ ordinal }) => ordinal)).toEqual(messages.map((_, index) => index + 1));
      }
    },
  );

  test.each(CASES)('$file can be imported for two users; a second import adds nothing for either', async (known) => {
    const caller = await newAccount(daemon);
    const bytes = await fixture(known.file);
    const send = async (user: string) =>
      (await portable(caller).send(bytes, `?format=${known.format}&user=${user}`)).body;
    const all = countsOf(known);
    // The file names the users of the other memories.
    const own = known.format === 'mem0' ? { ...all, memories: 1 } : all;
    expect(await send('ada')).toMatchObject({ added: all, known: NONE });
    expect(await send('ben')).toMatchObject({ added: own, known: { memories: all.memories - own.memories } });
    for (const user of ['ada', 'ben']) {
      expect(await send(user)).toMatchObject({ added: NONE, known: all });
      expect(await findFirst(caller, known, known.user ?? user)).toMatch(known.content);
    }
  });

  test('in the wrong format is reported with a reason, and nothing is imported', async () => {
    const caller = await newAccount(daemon);
    const chats = await fixture('chatgpt-conversations.json');
    const sent = async (body: string | Uint8Array, format: string) => {
      const { status, body: report } = await portable(caller).send(body, `?format=${format}`);
      expect(status).toBe(200);
      expect(report.added).toEqual(NONE);
      expect(report.reasons.every(({ fault }) => fault)).toBe(true);
      return report.reasons[0]?.reason;
    };
    expect(await sent(chats, 'claude')).toBe('Neither a Claude conversation nor Claude memories.');
    expect(await sent(chats, 'mem0')).toBe('“memory” is missing or empty.');
    expect(await sent(chats, 'mcp-memory')).toBe('The line is not a JSON object.');
    expect(await sent(chats, 'svc')).toMatch(/not a JSON object .*a file of another system its own --format/);
    expect(await sent(`[{"mapping":{}}${' '.repeat(1024 * 1024)}]`, 'svc')).toMatch(/longer than 1 MiB .*--format/);
    expect(await sent('PK\u0003\u0004', 'chatgpt')).toMatch(/ZIP archive, extract it/);
    expect(await sent('', 'chatgpt')).toBe('The file is empty.');
  });
});

describe('a later response of Mem0', () => {
  const createdAt = '2026-01-01T10:00:00Z';
  const memory = (text: string, updatedAt: string) => ({
    ...{ id: 'm1', memory: text, created_at: createdAt, updated_at: updatedAt },
  });
  const send = (caller: Caller, ...memories: object[]) =>
    portable(caller).importFile(JSON.stringify(memories), '?format=mem0');
  const first = memory('Lives in Linz', createdAt);
  const second = memory('Lives in Graz', '2026-02-01T10:00:00Z');
  const leftOut = { place: '[0]', reason: 'left out: the account has another text of it', fault: false };

  test('reports an updated text that the account does not have, and changes nothing', async () => {
    const caller = await newAccount(daemon);
    await send(caller, first);
    for (const _ of [1, 2]) {
      expect(await send(caller, second)).toMatchObject({ added: NONE, known: NONE, skipped: 1, reasons: [leftOut] });
    }
    expect(await caller.list()).toEqual(['Lives in Linz']);
  });

  test('is known if the account has the text too, or if its own is newer', async () => {
    const caller = await newAccount(daemon);
    await send(caller, first);
    const known = { added: NONE, known: { memories: 1 }, skipped: 0 };
    expect(await send(caller, memory('Lives in Linz', '2026-02-01T10:00:00Z'))).toMatchObject(known);
    await caller.add('Lives in Graz');
    expect(await send(caller, second)).toMatchObject(known);
    const { data } = (await caller.call<{ data: Memory[] }>('/v1/memories')).body;
    await caller.change(data.find(({ content }) => content === 'Lives in Linz')!.id, { content: 'Lives in Wels' });
    expect(await send(caller, memory('Lives in Enns', '2026-03-01T10:00:00Z'))).toMatchObject(known);
  });
});

describe('a later export of a conversation', () => {
  /** A ChatGPT conversation with one branch: the user and the assistant by turns. */
  const chat = (texts: readonly string[]) => {
    const nodes = texts.map((text, index) => {
      const author = { role: index % 2 === 0 ? 'user' : 'assistant' };
      const message = { id: text, author, content: { content_type: 'text', parts: [text] } };
      return [text, { parent: texts[index - 1], message: { ...message, create_time: 1_700_000_000 + index } }];
    });
    const mapping = Object.fromEntries(nodes);
    return JSON.stringify([{ id: 'c1', create_time: 1_700_000_000, current_node: texts.at(-1), mapping }]);
  };
  const send = (caller: Caller, texts: readonly string[]) =>
    portable(caller).importFile(chat(texts), '?format=chatgpt');
  const messagesOf = async (caller: Caller): Promise<Message[]> =>
    (await portable(caller).lines()).map((line) => JSON.parse(line)).filter(({ type }) => type === 'message');
  const contentsOf = async (caller: Caller) => (await messagesOf(caller)).map(({ content }) => content);
  const series = (name: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `${name} ${from + index}`);

  test.each([
    ['shorter than', 2, 6, 4],
    ['longer than', 2, 4, 8],
    ['longer than a batch beside', 20, 540, 560],
  ])('appends an edited branch in order, %s the old one; a third import adds nothing', async (_, fork, old, edited) => {
    const caller = await newAccount(daemon);
    const [first, second] = [series('Old', 0, old), [...series('Old', 0, fork), ...series('New', fork, edited)]];
    await send(caller, first);
    const report = { added: { messages: edited - fork }, known: { messages: fork }, skipped: 0 };
    expect(await send(caller, second)).toMatchObject(report);
    const stored = [...first, ...series('New', fork, edited)];
    expect(await contentsOf(caller)).toEqual(stored);
    for (const branch of [second, first]) expect(await send(caller, branch)).toMatchObject({ added: NONE, skipped: 0 });
    expect(await contentsOf(caller)).toEqual(stored);
    const longer = [...second, ...series('Next', 0, 2)];
    expect(await send(caller, longer)).toMatchObject({ added: { messages: 2 }, skipped: 0 });
    expect(await contentsOf(caller)).toEqual([...stored, ...series('Next', 0, 2)]);
  });

  test('of Claude appends what was regenerated; a third import adds nothing', async () => {
    const caller = await newAccount(daemon);
    const message = (uuid: string, parent: string, seconds: number) => ({
      ...{ uuid, sender: 'human', text: uuid, parent_message_uuid: parent },
      created_at: `2025-03-02T08:00:0${seconds}Z`,
    });
    const messages = [message('Question', '', 1), message('Old', 'Question', 2)];
    const sendChat = (chat_messages: object[]) =>
      portable(caller).importFile(JSON.stringify([{ uuid: 'c1', chat_messages }]), '?format=claude');
    await sendChat(messages);
    const edited = [...messages, message('New', 'Question', 3)];
    expect(await sendChat(edited)).toMatchObject({ added: { messages: 1 }, known: { messages: 1 }, skipped: 1 });
    expect(await sendChat(edited)).toMatchObject({ added: NONE, known: { messages: 2 } });
    expect(await contentsOf(caller)).toEqual(['Question', 'Old', 'New']);
  });

  test('returns a deleted message to its place', async () => {
    const caller = await newAccount(daemon);
    await send(caller, series('Old', 0, 5));
    const [, second] = await messagesOf(caller);
    await conversing(caller).erase(`conversations/${second!.conversationId}/messages/${second!.id}`);
    await send(caller, series('Old', 0, 7));
    expect(await contentsOf(caller)).toEqual(series('Old', 0, 7));
  });

  test('is cut into episodes if the conversation was', async () => {
    const caller = await newAccount(daemon);
    const talk = conversing(caller);
    await send(caller, series('Old', 0, 4));
    await talk.cut((await messagesOf(caller))[0]!.conversationId);
    await send(caller, series('Old', 0, 6));
    await daemon.episodes.follow();
    const last = (await messagesOf(caller)).at(-1)!;
    expect((await talk.episodes()).map(({ toMessageId }) => toMessageId)).toContain(last.id);
  });
});

describe('svc import', () => {
  let person: CliUser;
  beforeAll(async () => {
    const { apiKey } = await newAccount(daemon);
    person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  });
  afterAll(() => person.close());
  const run = async (...words: string[]) => {
    const { out, code } = await person.run(['import', ...words, '--json']);
    return { ...JSON.parse(out), code };
  };

  test.each(CASES)('imports $file; a second import adds nothing', async (known) => {
    const { file, format, faults, skipped } = known;
    const words = [fixturePath(file), '--format', format, '--user', file];
    const code = faults > 0 ? 1 : 0;
    expect(await run(...words)).toMatchObject({ added: countsOf(known), known: NONE, skipped, code });
    expect(await run(...words)).toMatchObject({ added: NONE, known: countsOf(known), skipped, code });
  });

  test('reports what was imported and what was skipped', async () => {
    const file = join(person.folder, 'memories.json');
    await writeFile(file, '[{"memory": "Likes rain"}, {"memory": "Is gone", "expiration_date": "2024-08-01"}]');
    expect(await person.run(['import', file, '--format', 'mem0'])).toMatchObject({
      out: 'Imported 1 memory.\n1 entry skipped:\n  [1]  Expired at 2024-08-02T00:00:00.000Z: left out\n',
      code: 0,
    });
  });

  test('imports the notes of a folder and its subfolders, and no other files', async () => {
    const folder = join(person.folder, 'vault');
    const notes = {
      'tea.md': '# Tea\n\nOolong from the mountains.\n\n- [method] Sencha wants 70 °C #sencha\n- pairs_with [[Cake]]\n',
      'deep/er/cake.md': '---\ntitle: Cake\ntags: [sweet]\n---\nBaked on Sundays.\n',
      'list.txt': 'Not a note.',
      '.trash/old.md': 'Thrown away.',
    };
    for (const [path, content] of Object.entries(notes)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const words = [folder, '--format', 'basic-memory', '--user', 'notes'];
    const added = { ...NONE, memories: 4 };
    expect(await run(...words)).toMatchObject({ added, skipped: 0, code: 0 });
    expect(await run(...words)).toMatchObject({ added: NONE, known: added });
    const { data } = JSON.parse((await person.run(['list', '--user', 'notes', '--json'])).out);
    const seen = data.map(({ content, metadata }: { content: string; metadata: { path: string } }) => [
      metadata.path,
      content,
    ]);
    expect(seen.sort()).toEqual([
      ['deep/er/cake.md', 'Baked on Sundays.'],
      ['tea.md', 'Oolong from the mountains.'],
      ['tea.md', 'Sencha wants 70 °C #sencha'],
      ['tea.md', 'tea pairs_with Cake'],
    ]);
  });
});
