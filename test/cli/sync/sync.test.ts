import * as fs from 'node:fs/promises';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { markdownFormat } from '../../../src/cli/sync/file-format.ts';
import { createFolder, type FileSystem } from '../../../src/cli/sync/folder.ts';
import { lockFolder } from '../../../src/cli/sync/folder-lock.ts';
import { createRemote } from '../../../src/cli/sync/remote.ts';
import { openState } from '../../../src/cli/sync/state.ts';
import { createSyncPass } from '../../../src/cli/sync/sync-pass.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { problem, startScriptedServer } from '../../client/scripted-server.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type CliUser, createCliUser } from '../memory-harness.ts';

/** `svc sync --once`: what a person sees and gets. */

let daemon: TestDaemon;
let person: CliUser;
let client: Client;
let apiKey: string;
let root: string;
let count = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  count += 1;
  const signedIn = await daemon.signIn(`sync-${count}@example.com`);
  apiKey = signedIn.apiKey;
  await daemon.accounts.setTier(signedIn.account.tenantId, 'Enterprise');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  root = join(person.folder, 'notes');
});
afterEach(() => person.close());
afterAll(() => daemon.close());

const once = (...words: string[]) => person.run(['sync', root, '--once', ...words]);
const paths = async () => {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => name.endsWith('.md')).sort();
};
const read = (path: string) => readFile(join(root, path), 'utf8');
const write = (path: string, text: string) => writeFile(join(root, path), text);
const contents = async () => (await client.memories.list({ limit: 200 })).data.map(({ content }) => content).sort();
const addMany = (amount: number) =>
  client.memories.createMany(Array.from({ length: amount }, (_, index) => ({ content: `Number ${index} of many` })));

test('writes memories as files, stores new files, and then has nothing to do', async () => {
  const { id } = await client.memories.create({ content: 'Ada prefers tea', tags: ['taste'] });
  await mkdir(root);
  await write('Coffee.md', '---\nrating: 5\n---\n\nPour over\n');
  const name = `Ada prefers tea ${id.slice(-8)}.md`;
  expect(await once()).toMatchObject({
    out: `↑ new       Coffee.md\n↓ new       ${name}\nIn sync, 2 files: sent 1 new; received 1 new.\n`,
    err: '',
    code: 0,
  });
  expect(await read(name)).toMatch(
    /^---\nid: mem_\w+\ntags:\n {2}- taste\ncreated: \S+Z\nupdated: \S+Z\n---\nAda prefers tea\n$/,
  );
  expect(await read('Coffee.md')).toMatch(/^---\nrating: 5\nid: mem_\w{32}\n---\n\nPour over\n$/);
  expect((await client.memories.list()).data[0]).toMatchObject({ content: 'Pour over', origin: 'person' });
  expect(await once()).toMatchObject({ out: 'In sync, 2 files: nothing to do.\n', err: '', code: 0 });
});

test('follows edits, moves and deletions of files', async () => {
  const { id } = await client.memories.create({ content: 'Ada prefers tea' });
  await client.memories.create({ content: 'Bob prefers beer' });
  await once();
  const [ada = '', bob = ''] = await paths();
  await mkdir(join(root, 'people'));
  await rename(join(root, ada), join(root, 'people', 'Ada.md'));
  await write(
    'people/Ada.md',
    (await read('people/Ada.md')).replace('tea', 'oolong').replace('created', 'tags: [taste]\ncreated'),
  );
  await rm(join(root, bob));
  expect((await once()).out).toBe(
    `↑ changed   people/Ada.md\n↑ deleted   ${bob}\nIn sync, 1 file: sent 1 changed, 1 deleted.\n`,
  );
  expect(await client.memories.get(id)).toMatchObject({ content: 'Ada prefers oolong', tags: ['taste'], version: 2 });
  expect(await contents()).toEqual(['Ada prefers oolong']);
});

test('follows changes of memories, and keeps the name and place of their files', async () => {
  const { data } = await addMany(3);
  await once();
  const [first = '', second = '', third = ''] = await paths();
  await client.memories.update(data[0]!.id, { content: 'Something else' });
  await client.memories.delete(data[1]!.id);
  await client.memories.update(data[2]!.id, { validTo: data[2]!.validFrom });
  expect(await once()).toMatchObject({ code: 0, err: '' });
  expect(await paths()).toEqual([first]);
  expect(await read(first)).toContain('\n---\nSomething else\n');
  expect([second, third]).not.toContain(first);
});

test('keeps both sides of a conflict, and syncs the other one once its mark is removed', async () => {
  const { id } = await client.memories.create({ content: 'Ada prefers tea' });
  await once();
  const [name = ''] = await paths();
  await write(name, (await read(name)).replace('tea', 'mine'));
  await client.memories.update(id, { content: 'Ada prefers theirs' });
  const other = name.replace('.md', ' (conflict 2026-11-20).md');
  const { out, code } = await once();
  expect(out).toContain(`! conflict  ${name}: your text is now in ${name.replace('.md', '')} (conflict `);
  expect(code).toBe(1);
  const kept = (await paths()).find((path) => path !== name)!;
  expect(kept).toMatch(/ \(conflict \d{4}-\d\d-\d\d\)\.md$/);
  expect(other.length).toBe(kept.length);
  expect(await read(kept)).toContain(`svc-conflict: ${id}\n---\nAda prefers mine\n`);
  expect(await read(name)).toContain('Ada prefers theirs');
  expect(await once()).toMatchObject({
    code: 0,
    err: `! ${kept} keeps the other side of a conflict: merge it by hand, then delete it.\n`,
  });
  await write(kept, (await read(kept)).replace(/svc-conflict.*\n/, ''));
  expect(await once()).toMatchObject({ code: 0, err: '' });
  expect(await contents()).toEqual(['Ada prefers mine', 'Ada prefers theirs']);
});

test('keeps an edited file whose memory is gone, and brings back a deleted file whose memory changed', async () => {
  const { data } = await addMany(2);
  await once();
  const [first = '', second = ''] = await paths();
  await write(first, (await read(first)).replace('many', 'mine'));
  await client.memories.delete(data[0]!.id);
  await rm(join(root, second));
  await client.memories.update(data[1]!.id, { content: 'Newer than the deletion' });
  await once();
  const texts = await Promise.all((await paths()).map(read));
  expect(texts.sort().map((text) => text.split('---\n')[2])).toEqual(
    expect.arrayContaining(['Number 0 of mine\n', 'Newer than the deletion\n']),
  );
  expect(await contents()).toEqual(['Newer than the deletion']);
});

test('a dry run says what would change, and changes nothing', async () => {
  const { data } = await addMany(2);
  await once();
  const [first = '', second = ''] = await paths();
  await write(first, (await read(first)).replace('many', 'mine'));
  await rm(join(root, second));
  await write('new.md', 'New');
  await client.memories.create({ content: 'Also new' });
  const state = await read('.svc/sync.ndjson');
  const before = await Promise.all((await paths()).map(read));
  const { out, code } = await person.run(['sync', root, '--dry-run', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out).changes).toEqual(
    expect.arrayContaining([
      { in: 'memories', change: 'created', path: 'new.md' },
      { in: 'memories', change: 'changed', path: first, id: data[0]!.id },
      { in: 'memories', change: 'deleted', path: second, id: data[1]!.id },
      expect.objectContaining({ in: 'files', change: 'created' }),
    ]),
  );
  expect(await Promise.all((await paths()).map(read))).toEqual(before);
  expect(await read('.svc/sync.ndjson')).toBe(state);
  expect(await contents()).toEqual(['Also new', 'Number 0 of many', 'Number 1 of many']);
  const missing = join(person.folder, 'missing');
  expect(await person.run(['sync', missing, '--dry-run'])).toMatchObject({ code: 2 });
});

test('erases nothing when many files are missing, until that is confirmed', async () => {
  await addMany(12);
  await once();
  for (const path of await paths()) await rm(join(root, path));
  expect(await once()).toMatchObject({
    code: 1,
    err: '! 12 files are missing, so 12 memories would be erased. Nothing was. If you deleted them, run again with --confirm-deletions.\n',
  });
  expect(await contents()).toHaveLength(12);
  expect(await once('--confirm-deletions')).toMatchObject({ code: 0 });
  expect(await contents()).toEqual([]);
});

test('removes no file when many memories are gone, until that is confirmed', async () => {
  const { data } = await addMany(12);
  await once();
  await client.memories.deleteMany({ ids: data.map(({ id }) => id) });
  expect(await once()).toMatchObject({ code: 1, err: expect.stringContaining('12 memories are gone') });
  expect(await paths()).toHaveLength(12);
  expect(await once('--confirm-deletions')).toMatchObject({ code: 0 });
  expect(await paths()).toEqual([]);
});

test('writes everything again into an emptied folder without its record', async () => {
  await addMany(12);
  await once();
  await rm(root, { recursive: true });
  expect((await once()).out).toMatch(/^(↓ new .+\n){12}In sync, 12 files: received 12 new\.\n$/);
  expect(await contents()).toHaveLength(12);
});

test('recognizes equal files without its record', async () => {
  await addMany(3);
  await once();
  await rm(join(root, '.svc'), { recursive: true });
  expect(await once()).toMatchObject({ code: 0, out: 'In sync, 3 files: nothing to do.\n' });
});

test('with a project, holds its memories alone, and new files belong to it', async () => {
  await client.memories.createMany([
    { content: 'Of none' },
    { content: 'Of it', project: 'site' },
    { content: 'Of another', project: 'b' },
  ]);
  await mkdir(root);
  await write('new.md', 'New');
  await write('other.md', '---\nproject: b\n---\nNot here\n');
  expect(await once('--project', 'site')).toMatchObject({
    code: 1,
    err: '! other.md was left alone: it belongs to the project “b”, and this folder to “site”.\n',
  });
  expect(await paths()).toHaveLength(3);
  const { data } = await client.memories.list({ project: 'site', projectOnly: true });
  expect(data.map(({ content }) => content)).toEqual(['New', 'Of it']);
  await rm(join(root, 'other.md'));
  expect(await once('--project', 'site')).toMatchObject({
    code: 0,
    err: '',
    out: 'In sync, 2 files: nothing to do.\n',
  });
  expect(await once()).toMatchObject({
    code: 2,
    err: `svc: ${root} holds the memories of the project “site”. Choose another folder, or the same account, --user and --project.\n`,
  });
});

test('refuses a folder of another account', async () => {
  await once();
  const other = await daemon.signIn('sync-other@example.com');
  const stranger = await createCliUser(daemon.baseUrl, other.apiKey, daemon.clock);
  expect(await stranger.run(['sync', root, '--once'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('of another account'),
  });
  await stranger.close();
});

test('leaves alone a folder inside it that is synced on its own, such as that of another account', async () => {
  await mkdir(join(root, 'theirs'), { recursive: true });
  const other = await daemon.signIn(`sync-inner-${count}@example.com`);
  const theirs = createClient({ baseUrl: daemon.baseUrl, apiKey: other.apiKey });
  const stranger = await createCliUser(daemon.baseUrl, other.apiKey, daemon.clock);
  await theirs.memories.create({ content: 'Nobody else knows this' });
  const inner = () => stranger.run(['sync', join(root, 'theirs'), '--once']);
  await inner();
  expect(await once()).toMatchObject({ code: 0, out: 'In sync, 0 files: nothing to do.\n', err: '' });
  expect(await contents()).toEqual([]);
  expect(await inner()).toMatchObject({ code: 0, out: 'In sync, 1 file: nothing to do.\n' });
  await stranger.close();
});

test.each(['a link', 'a folder that is a link', 'a folder that is synced on its own', 'a file in the cloud alone'])(
  'does not erase the memory of a file whose place is taken by %s',
  async (what) => {
    await client.memories.create({ content: 'Ada prefers tea' });
    await once();
    const [name = ''] = await paths();
    const elsewhere = join(person.folder, 'elsewhere');
    await mkdir(join(root, 'sub'));
    await rename(join(root, name), join(root, 'sub', name));
    await once();
    if (what === 'a link') {
      await rename(join(root, 'sub', name), elsewhere);
      await symlink(elsewhere, join(root, 'sub', name));
    } else if (what === 'a folder that is a link') {
      await rename(join(root, 'sub'), elsewhere);
      await symlink(elsewhere, join(root, 'sub'));
    } else if (what === 'a folder that is synced on its own') {
      await mkdir(join(root, 'sub', '.svc'));
      await write('sub/.svc/sync.ndjson', '');
    } else await rename(join(root, 'sub', name), join(root, 'sub', `.${name}.icloud`));
    expect(await once()).toMatchObject({ code: 1, err: expect.stringContaining(`! sub/${name} was left alone: `) });
    expect(await contents()).toEqual(['Ada prefers tea']);
  },
);

test('keeps the other side of a conflict about a file with the longest name', async () => {
  const { id } = await client.memories.create({ content: 'Ada prefers tea' });
  await once();
  const long = `${'é'.repeat(125)}a.md`;
  const [name = ''] = await paths();
  await rename(join(root, name), join(root, long));
  await once();
  await client.memories.update(id, { content: 'Ada prefers oolong' });
  await write(long, (await read(long)).replace('tea', 'coffee'));
  expect((await once()).out).toContain('1 in conflict');
  const texts = await Promise.all((await paths()).map(read));
  expect(texts.map((text) => text.split('---\n')[2]).sort()).toEqual(['Ada prefers coffee\n', 'Ada prefers oolong\n']);
});

test('leaves a file unchanged if its properties are too deep to be read, or no line can be added to them', async () => {
  await mkdir(root);
  const files = {
    'brackets.md': `---\na: ${'['.repeat(30_000)}\n---\nText`,
    'dashes.md': `---\na:\n ${'- '.repeat(30_000)}x\n---\nText`,
    'indented.md': '---\n  rating: 5\n---\nIndented\n',
    'ended.md': '---\nrating: 5\n...\n---\nEnded\n',
    'keys.md': '---\n? tags\n: [a]\n---\nKeys\n',
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const { err, code } = await once();
  expect(code).toBe(1);
  expect(err.match(/were? left alone|was left alone/g)).toHaveLength(5);
  for (const [path, text] of Object.entries(files)) expect(await read(path)).toBe(text);
  expect(await contents()).toEqual([]);
});

test('leaves alone what it cannot store, and says why', async () => {
  await mkdir(root);
  await write('broken.md', '---\na: [\n---\nText');
  await write('long.md', 'x'.repeat(100_001));
  await writeFile(join(root, 'latin.md'), Buffer.from([0x41, 0xe9, 0x42]));
  await write('tag.md', `---\ntags: ["${'t'.repeat(300)}"]\n---\nText`);
  await write('one.md', 'The same');
  await write('two.md', 'the  SAME');
  await write('empty.md', '');
  await write('.hidden.md', 'Hidden');
  await write('picture.png', 'x');
  await symlink('/etc/hostname', join(root, 'link.md'));
  await symlink('/etc', join(root, 'linked'));
  const before = await Promise.all(['broken.md', 'long.md', 'tag.md', 'two.md'].map(read));
  const { err, code } = await once();
  expect(err.split('\n').map((line) => line.slice(0, 70))).toEqual([
    expect.stringMatching(/^! broken\.md was left alone: its properties are not valid YAML/),
    '! latin.md was left alone: it is not UTF-8 text.',
    expect.stringMatching(/^! long\.md was left alone: its text is longer than 100,000/),
    expect.stringMatching(/^! tag\.md was left alone: \/tags\/0 /),
    '! two.md was left alone: it has the same text as one.md.',
    '',
  ]);
  expect(code).toBe(1);
  expect(await Promise.all(['broken.md', 'long.md', 'tag.md', 'two.md'].map(read))).toEqual(before);
  expect(await contents()).toEqual(['The same']);
});

test('does not erase the memory of a file that cannot be read any more', async () => {
  await addMany(2);
  await once();
  const [first = '', second = ''] = await paths();
  await mkdir(join(root, 'moved'));
  await write(first, `---\nid: [\n---\n`);
  const text = await read(second);
  await rm(join(root, second));
  await write('moved/it.md', text.replace('---\n', '---\nbroken: [\n'));
  expect(await once()).toMatchObject({ code: 1 });
  expect(await contents()).toHaveLength(2);
  await write(second, '');
  await rm(join(root, 'moved'), { recursive: true });
  expect((await once()).err).toContain(`! ${second} was left alone: it is empty; delete it to erase its memory.\n`);
  expect(await contents()).toHaveLength(2);
});

test('takes a copy of a file for no second memory', async () => {
  await client.memories.create({ content: 'Ada prefers tea' });
  await once();
  const [name = ''] = await paths();
  await write('copy.md', await read(name));
  expect(await once()).toMatchObject({
    code: 1,
    err: `! copy.md was left alone: it has the id of ${name}; remove its id to make it a separate memory.\n`,
  });
  await rm(join(root, name));
  expect(await once()).toMatchObject({ code: 0, err: '', out: 'In sync, 1 file: nothing to do.\n' });
  expect(await contents()).toHaveLength(1);
});

test('stores masked credentials once, and does not overwrite the file with the mask', async () => {
  await mkdir(root);
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await write('token.md', `The token is ${secret} for now\n`);
  expect((await once()).out).toContain('↑ new       token.md (svc masked 1 credential; the file keeps it)\n');
  expect(await read('token.md')).toContain(secret);
  expect(await contents()).toEqual([expect.stringContaining('[redacted: ')]);
  expect(await once()).toMatchObject({ code: 0, out: 'In sync, 1 file: nothing to do.\n' });
});

describe('one at a time', () => {
  test('refuses while another process is at work, and ignores one that was killed', async () => {
    await once();
    const lock = (pid: number) => write('.svc/lock', JSON.stringify({ token: 'x', pid, host: hostname() }));
    daemon.clock.advance(Date.now() - daemon.clock.nowMs());
    await lock(process.pid);
    expect(await once()).toMatchObject({
      code: 1,
      err: `svc: Another svc sync (process ${process.pid}) is at work in ${root}.\n`,
    });
    await lock(2 ** 22 + 1);
    expect(await once()).toMatchObject({ code: 0 });
    await expect(read('.svc/lock')).rejects.toThrow('ENOENT');
  });

  test('refuses while another process writes the lock', async () => {
    await once();
    daemon.clock.advance(Date.now() - daemon.clock.nowMs());
    await write('.svc/lock', '');
    expect(await once()).toMatchObject({ code: 1, err: `svc: Another svc sync is at work in ${root}.\n` });
    expect(await read('.svc/lock')).toBe('');
  });

  test('gives the lock of a killed process to one of two that find it', async () => {
    await mkdir(join(root, '.svc'), { recursive: true });
    await write('.svc/lock', JSON.stringify({ token: 'x', pid: 2 ** 22 + 1, host: hostname() }));
    const lock = (disk: FileSystem) => lockFolder(root, disk, Date.now, () => {});
    let unlock: (() => Promise<void>) | undefined;
    const lateRename: FileSystem['rename'] = async (from, to) => {
      unlock ??= await lock(fs);
      return fs.rename(from, to);
    };
    await expect(lock({ ...fs, rename: lateRename })).rejects.toThrow(`(process ${process.pid}) is at work`);
    await unlock!();
    expect(await readdir(join(root, '.svc'))).toEqual([]);
  });
});

test('says what is wrong with the folder or the daemon', async () => {
  await writeFile(join(person.folder, 'file'), '');
  const file = join(person.folder, 'file');
  expect(await person.run(['sync', file, '--once'])).toMatchObject({ code: 2, err: `svc: ${file} is not a folder.\n` });
  const offline = await createCliUser('http://127.0.0.1:1', apiKey, daemon.clock);
  expect(await offline.run(['sync', 'notes', '--once'])).toMatchObject({ code: 4 });
  await offline.close();
});

test('reports a file that the system does not let it write, and goes on with the others', async () => {
  const { data } = await addMany(2);
  const { tenantId } = await client.account.get();
  const scope = { tenantId, user: 'default', project: null };
  const busy = Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY', syscall: 'rename' });
  let isBusy = false;
  const rename: FileSystem['rename'] = (from, to) =>
    isBusy && String(to).endsWith(' 0 of many.md') ? Promise.reject(busy) : fs.rename(from, to);
  await mkdir(join(root, '.svc'), { recursive: true });
  const run = async () => {
    const disk = { ...fs, rename };
    const remote = createRemote(client, scope, markdownFormat);
    const state = await openState(root, scope, disk);
    const folder = createFolder(root, disk, Date.now, markdownFormat);
    const more = { day: () => '2026-11-26', newKey: () => crypto.randomUUID(), pause: async () => {}, onProgress() {} };
    await remote.load(() => {});
    return createSyncPass({ folder, state, remote, scope, format: markdownFormat, ...more })({
      confirmsDeletions: false,
      dryRun: false,
    });
  };
  await run();
  await rename(join(root, (await paths())[0]!), join(root, 'Number 0 of many.md'));
  for (const { id } of data) await client.memories.update(id, { addTags: ['new'] });
  isBusy = true;
  expect(await run()).toMatchObject({
    changes: [{ in: 'files', change: 'changed' }],
    problems: [{ path: 'Number 0 of many.md', problem: 'it cannot be written: EBUSY: resource busy or locked' }],
  });
  isBusy = false;
  expect(await run()).toMatchObject({ changes: [{ path: 'Number 0 of many.md' }], problems: [] });
});

test('settles a change whose answer was lost in the same pass', async () => {
  const { id } = await client.memories.create({ content: 'Ada keeps bees' });
  let isLost = false;
  const losing = createClient({
    ...{ baseUrl: daemon.baseUrl, apiKey, sleep: async () => {} },
    async fetch(url, request) {
      const response = await fetch(url, request as RequestInit);
      if (request.method !== 'PATCH' || isLost) return response;
      isLost = true;
      throw new TypeError('connection lost');
    },
  });
  await once();
  const [path] = await paths();
  await write(path!, (await read(path!)).replace('keeps bees', 'keeps goats'));
  const scope = { tenantId: (await client.account.get()).tenantId, user: 'default', project: null };
  const remote = createRemote(losing, scope, markdownFormat);
  const state = await openState(root, scope, fs);
  const folder = createFolder(root, fs, Date.now, markdownFormat);
  const more = { day: () => '2026-11-26', newKey: () => crypto.randomUUID(), pause: async () => {}, onProgress() {} };
  await remote.load(() => {});
  const pass = createSyncPass({ folder, state, remote, scope, format: markdownFormat, ...more });
  expect(await pass({ confirmsDeletions: false, dryRun: false })).toMatchObject({ problems: [], conflicts: [] });
  expect(isLost).toBe(true);
  expect(await client.memories.get(id)).toMatchObject({ content: 'Ada keeps goats', version: 2 });
  expect((await once()).out).toBe('In sync, 1 file: nothing to do.\n');
});

test('erases nothing when the disk of the folder is not mounted any more, and a service waits for it', async () => {
  await addMany(2);
  const { tenantId } = await client.account.get();
  const scope = { tenantId, user: 'default', project: null };
  await mkdir(join(root, '.svc'), { recursive: true });
  const remote = createRemote(client, scope, markdownFormat);
  const state = await openState(root, scope, fs);
  const folder = createFolder(root, fs, Date.now, markdownFormat);
  const more = { day: () => '2026-11-26', newKey: () => crypto.randomUUID(), pause: async () => {}, onProgress() {} };
  const pass = createSyncPass({ folder, state, remote, scope, format: markdownFormat, ...more });
  const run = () => pass({ confirmsDeletions: false, dryRun: false });
  await remote.load(() => {});
  await run();
  await rename(root, `${root} mounted`);
  await mkdir(root);
  await expect(run()).rejects.toThrow(`${root} is not there any more. Nothing was deleted.`);
  await mkdir(join(root, '.svc'));
  await expect(run()).rejects.toThrow('Nothing was deleted.');
  await rm(root, { recursive: true });
  await mkdir(root);
  expect(await once('--yes', '--existing')).toMatchObject({ code: 1, err: expect.stringContaining('is not mounted') });
  expect(await readdir(root)).toEqual([]);
  expect(await contents()).toHaveLength(2);
});

test('asks before a folder of many notes becomes memories', async () => {
  await mkdir(root);
  for (let index = 0; index < 21; index += 1) await write(`${index}.md`, `Note ${index}\n`);
  const text = `21 files in ${root} would become memories, and get an id each.`;
  expect(await once()).toMatchObject({ code: 2, err: `svc: ${text} Pass --yes if that is meant.\n` });
  const refused = await person.run(['sync', root, '--once'], { tty: true, typed: 'n' });
  expect(refused).toMatchObject({ code: 1, questions: [`${text} Continue? [y/N] `] });
  expect(await read('7.md')).toBe('Note 7\n');
  expect(await contents()).toEqual([]);
  expect((await once('--yes')).out).toBe('↑ new       21 files\nIn sync, 21 files: sent 21 new.\n');
  await write('21.md', 'One more');
  expect(await once()).toMatchObject({ code: 0 });
});

test('installs a service only for a folder that was synced before', async () => {
  expect(await person.run(['sync', root, '--service', 'install'])).toMatchObject({
    code: 2,
    err: `svc: ${root} was never synced. Run svc sync ${root} --once first, to see what it does.\n`,
  });
});

test('says until when a daemon asks for no request, and ends', async () => {
  const moving = { ...problem('unavailable', 503), headers: { 'retry-after': '7200' } };
  const server = await startScriptedServer([moving]);
  const other = await createCliUser(server.baseUrl, apiKey, daemon.clock);
  const { code, err } = await other.run(['sync', join(other.folder, 'notes'), '--once']);
  await other.close();
  server.close();
  expect(code).toBe(1);
  expect(err).toMatch(
    /^svc: It is unavailable\.\nIt asks for no request before \d+ \w+ \d{4}, \d\d:\d\d\. Sync again then\.\n$/,
  );
});
