import { mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type CliUser, createCliUser } from '../memory-harness.ts';

/** `svc sync --native claude-code`: what a person with two machines sees. */

let daemon: TestDaemon;
let client: Client;
let machines: CliUser[];
let count = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  count += 1;
  const { apiKey } = await daemon.signIn(`native-${count}@example.com`);
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  const create = () => createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  machines = [await create(), await create()];
  for (const machine of machines) {
    await write(machine, 'work/.git/config', '[remote "origin"]\n  url = git@github.com:acme/tea.git\n');
  }
});
afterEach(async () => {
  for (const machine of machines) await machine.close();
});
afterAll(() => daemon.close());

async function write({ folder }: CliUser, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Relative to the home of a machine. */
const notesOf = ({ folder }: CliUser) =>
  `.claude/projects/${join(folder, 'work').replace(/[^a-zA-Z0-9]/g, '-')}/memory`;
const once = (machine: CliUser, ...words: string[]) =>
  machine.run(['sync', join(machine.folder, 'work'), '--native', 'claude-code', '--once', ...words]);
const read = (machine: CliUser, name: string) => readFile(join(machine.folder, notesOf(machine), name), 'utf8');

test('keeps the notes of a project unchanged, and the same on every machine', async () => {
  const [one, two] = machines as [CliUser, CliUser];
  const index = '- [Debugging](debugging.md)\n';
  await write(one, `${notesOf(one)}/MEMORY.md`, index);
  await write(
    one,
    `${notesOf(one)}/debugging.md`,
    '---\nname: debugging\ntype: project\n---\n\nThe kettle boils over\n',
  );
  expect(await once(one)).toMatchObject({
    out: '↑ new       MEMORY.md\n↑ new       debugging.md\nIn sync, 2 files: sent 2 new.\n',
    err: '',
    code: 0,
  });
  expect(await read(one, 'MEMORY.md')).toBe(index);
  expect(await once(two)).toMatchObject({ out: expect.stringContaining('received 2 new'), err: '', code: 0 });
  for (const name of ['MEMORY.md', 'debugging.md']) expect(await read(two, name)).toBe(await read(one, name));
  const { results } = await client.search({ query: 'What boils over?', project: 'github.com/acme/tea' });
  expect(results[0]).toMatchObject({
    externalId: 'claude-code:github.com/acme/tea/debugging.md',
    origin: 'assistant',
    tags: ['claude-code'],
  });

  await write(two, `${notesOf(two)}/debugging.md`, 'The kettle is fixed\n');
  await rm(join(two.folder, notesOf(two), 'MEMORY.md'));
  expect((await once(two)).out).toContain('sent 1 changed, 1 deleted');
  expect((await once(one)).out).toContain('received 1 changed, 1 deleted');
  expect(await read(one, 'debugging.md')).toBe('The kettle is fixed\n');
  expect((await readdir(join(one.folder, notesOf(one)))).sort()).toEqual(['.svc', 'debugging.md']);
  expect((await once(one)).out).toBe('In sync, 1 file: nothing to do.\n');
});

test('writes all notes of a new subfolder in one pass', async () => {
  const [one, two] = machines as [CliUser, CliUser];
  const names = ['a', 'b', 'c', 'd'].flatMap((name) => [`logs/${name}.md`, `logs/deep/${name}.md`]);
  for (const name of names) await write(one, `${notesOf(one)}/${name}`, `The kettle is at ${name}\n`);
  expect((await once(one)).code).toBe(0);
  expect(await once(two)).toMatchObject({ out: expect.stringContaining('received 8 new'), err: '', code: 0 });
  for (const name of names) expect(await read(two, name)).toBe(await read(one, name));
});

test('keeps both texts if two machines noted something in the same file', async () => {
  const [one, two] = machines as [CliUser, CliUser];
  await write(one, `${notesOf(one)}/MEMORY.md`, 'Of one\n');
  await write(two, `${notesOf(two)}/MEMORY.md`, 'Of two\n');
  await once(one);
  expect(await once(two)).toMatchObject({ out: expect.stringContaining('! conflict  MEMORY.md'), code: 1 });
  expect(await read(two, 'MEMORY.md')).toBe('Of one\n');
  const kept = (await readdir(join(two.folder, notesOf(two)))).find((name) => name.includes('(conflict'))!;
  expect(await read(two, kept)).toBe('Of two\n');
  await write(two, `${notesOf(two)}/MEMORY.md`, 'Of one and two\n');
  await rm(join(two.folder, notesOf(two), kept));
  expect(await once(two)).toMatchObject({ out: expect.stringContaining('sent 1 changed'), err: '', code: 0 });
  await once(one);
  expect(await read(one, 'MEMORY.md')).toBe('Of one and two\n');
});

test('follows changes of the memories, and leaves those alone that are not notes of the project', async () => {
  const [one] = machines as [CliUser];
  await write(one, `${notesOf(one)}/MEMORY.md`, 'Ada prefers tea\n');
  await once(one);
  await client.memories.create({ content: 'Ada likes cake', project: 'github.com/acme/tea', tags: ['claude-code'] });
  const [memory] = (await client.memories.list({ tag: 'claude-code', order: 'asc' })).data;
  await client.memories.update(memory!.id, {
    content: memory!.content.replace('prefers tea', 'prefers oolong'),
    addTags: ['taste'],
  });
  expect((await once(one)).out).toContain('In sync, 1 file: received 1 changed.');
  expect(await read(one, 'MEMORY.md')).toBe('Ada prefers oolong\n');
  await write(one, `${notesOf(one)}/MEMORY.md`, 'Ada prefers pu-erh\n');
  await once(one);
  expect(await client.memories.get(memory!.id)).toMatchObject({ tags: ['claude-code', 'taste'], version: 3 });
});

test.each(['../../out.md', 'a/../../out.md', '.hidden.md', '/out.md', 'a//b.md', 'script.sh', 'a\\b.md', 'con:x.md'])(
  'writes no file for a memory that is named %s',
  async (name) => {
    const [one] = machines as [CliUser];
    const externalId = `claude-code:github.com/acme/tea/${name}`;
    const memory = { content: 'Out', externalId, project: 'github.com/acme/tea', tags: ['claude-code'] };
    await client.memories.create(memory);
    expect((await once(one)).out).toBe('In sync, 0 files: nothing to do.\n');
    expect(await readdir(join(one.folder, notesOf(one)))).toEqual(['.svc']);
  },
);

test('writes no file through a link', async () => {
  const [one, two] = machines as [CliUser, CliUser];
  await write(one, `${notesOf(one)}/logs/day.md`, 'A note\n');
  await once(one);
  await mkdir(join(two.folder, notesOf(two)), { recursive: true });
  await mkdir(join(two.folder, 'elsewhere'));
  await symlink(join(two.folder, 'elsewhere'), join(two.folder, notesOf(two), 'logs'));
  expect(await once(two)).toMatchObject({ err: expect.stringContaining('there is no folder for it'), code: 1 });
  expect(await readdir(join(two.folder, 'elsewhere'))).toEqual([]);
});

test('keeps the notes of Gemini CLI the same on every machine, and leaves alone what waits for its inbox', async () => {
  const [one, two] = machines as [CliUser, CliUser];
  const register = async (machine: CliUser, name: string) => {
    const root = await realpath(join(machine.folder, 'work'));
    await write(machine, '.gemini/projects.json', JSON.stringify({ projects: { [root]: name } }));
    await write(machine, `.gemini/tmp/${name}/.project_root`, root);
    return `.gemini/tmp/${name}/memory`;
  };
  const sync = (machine: CliUser) =>
    machine.run(['sync', join(machine.folder, 'work'), '--native', 'gemini-cli', '--once']);
  const notes = await register(one, 'work');
  await write(one, `${notes}/MEMORY.md`, '- [Kettle](kettle.md)\n');
  await write(one, `${notes}/kettle.md`, 'The kettle boils over\n');
  await write(one, `${notes}/skills/descale/SKILL.md`, 'A draft\n');
  await write(one, `${notes}/.inbox/private/extraction.patch`, 'A patch\n');
  await write(one, `${notes}/.extraction-state.json`, '{}');
  expect(await sync(one)).toMatchObject({ out: expect.stringContaining('2 files: sent 2 new'), err: '', code: 0 });

  const name = 'gemini-cli:github.com/acme/tea/Skills/brew/SKILL.md';
  const memory = { content: `${name}\n\nOut`, externalId: name, project: 'github.com/acme/tea', tags: ['gemini-cli'] };
  await client.memories.create(memory);
  const others = await register(two, 'work-1');
  expect(await sync(two)).toMatchObject({ out: expect.stringContaining('received 2 new'), err: '', code: 0 });
  expect((await readdir(join(two.folder, others))).sort()).toEqual(['.svc', 'MEMORY.md', 'kettle.md']);
  const { results } = await client.search({ query: 'What boils over?', project: 'github.com/acme/tea' });
  expect(results[0]).toMatchObject({ externalId: 'gemini-cli:github.com/acme/tea/kettle.md', tags: ['gemini-cli'] });
});

test('is refused in a folder of the other form, and needs a folder without --native', async () => {
  const [one] = machines as [CliUser];
  await once(one);
  const plain = await one.run(['sync', join(one.folder, notesOf(one)), '--project', 'github.com/acme/tea', '--once']);
  expect(plain).toMatchObject({ code: 2, err: expect.stringContaining('in another form') });
  expect(await one.run(['sync', '--once'])).toMatchObject({ code: 2, err: expect.stringContaining('Name the folder') });
});
