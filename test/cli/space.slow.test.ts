import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSettings } from '../../src/cli/settings.ts';
import type { Space } from '../../src/contract/spaces.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let ada: CliUser;
let lin: CliUser;
let adaKey: string;
let people = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  people += 1;
  ({ apiKey: adaKey } = await makeTenant(daemon, `ada-${people}@example.com`, 'Enterprise'));
  const { apiKey: linKey } = await makeTenant(daemon, `lin-${people}@example.com`, 'Enterprise');
  ada = await createCliUser(daemon.baseUrl, adaKey, daemon.clock);
  lin = await createCliUser(daemon.baseUrl, linKey, daemon.clock);
  for (const person of [ada, lin]) await signIn(person);
});
afterEach(() => Promise.all([ada, lin].map((person) => person.close())));

/** Stores a profile, as `svc login` does. */
async function signIn({ folder }: CliUser): Promise<void> {
  const email = `someone-${people}@example.com`;
  const profile = { url: daemon.baseUrl, email, tenantId: 'ten_1', keyStore: 'file' } as const;
  await settingsOf(folder).save('default', profile);
}

const settingsOf = (folder: string) =>
  openSettings({ home: folder, platform: process.platform, cwd: folder, env: { SVC_CONFIG_DIR: folder } });
const linEmail = () => `lin-${people}@example.com`;
const json = async <T>(person: CliUser, ...words: string[]) =>
  JSON.parse((await person.run([...words, '--json'])).out) as T;
const newSpace = (name = 'team') => json<Space>(ada, 'space', 'create', name);

const remember = (content: string) =>
  daemon.call<{ conversationId: string }>(adaKey, '/v1/remember', {
    body: { messages: [{ role: 'user', content }] },
    headers: { 'x-svc-space': 'team' },
  });

async function addLin(role = 'writer'): Promise<void> {
  await ada.run(['space', 'invite', linEmail(), '--role', role, '--space', 'team']);
  await lin.run(['space', 'join', 'team']);
}

describe('svc space', () => {
  test('says how to make a space if there is none, and prints nothing for programs', async () => {
    const { out } = await ada.run(['space'], TTY);
    expect(out).toBe('You are in no space. Make one to share memories: svc space create team\n');
    expect((await ada.run(['space'])).out).toBe('');
    expect(await json(ada, 'space')).toEqual({ data: [], inUse: null });
  });

  test('invites, joins and lists, for people and for programs', async () => {
    const made = await ada.run(['space', 'create', 'Tea room'], TTY);
    expect(made.out).toBe('Made the space “Tea room”. Invite others: svc space invite EMAIL --space "Tea\nroom"\n');
    const invited = await ada.run(['space', 'invite', linEmail(), '--space', 'Tea room', '--role', 'reader']);
    expect(invited.out).toBe(`Invited ${linEmail()} to “Tea room” as reader, for 7 days.\n`);
    expect((await lin.run(['space'], TTY)).out).toContain(
      `Tea room\n  invited as reader by ada-${people}@example.com: svc space join "Tea room"\n`,
    );
    expect((await lin.run(['space', 'use', 'Tea room'])).err).toContain('have not joined: svc space join "Tea room"');
    expect((await lin.run(['space', 'join', 'Tea room'])).out).toMatch(/^You are reader of “Tea room” now\. /);
    const [space] = (await json<{ data: Space[] }>(lin, 'space')).data;
    expect(space).toMatchObject({ name: 'Tea room', role: 'reader', state: 'joined', members: 2 });
    expect((await lin.run(['space'], TTY)).out).toBe(`Tea room\n  reader, 2 members, 0 B\n  ${space!.id}\n`);
    expect((await lin.run(['space'])).out).toBe(`${space!.id}\tTea room\treader\tjoined\t2\n`);
  });

  test('lists members, changes their roles and removes them', async () => {
    await newSpace();
    await addLin();
    await ada.run(['space', 'invite', 'kim@example.com', '--space', 'team']);
    const shown = (await ada.run(['space', 'members', '--space', 'team'], TTY)).out;
    expect(shown).toMatch(/^team\n {2}ada-\d+@example\.com {2}owner, joined just now\n/);
    expect(shown).toContain(`  ${linEmail()}  writer, joined just now\n`);
    expect(shown).toContain(
      `  kim@example.com  writer, invited by ada-${people}@example.com, can join until in 7 days\n`,
    );
    const rows = (await ada.run(['space', '--space', 'team', 'members'])).out.trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(1))).toContainEqual([linEmail(), 'writer', 'joined']);
    const changed = await ada.run(['space', 'role', linEmail().toUpperCase(), 'reader', '--space', 'team']);
    expect(changed.out).toBe(`${linEmail()} is reader of “team” now.\n`);
    expect((await ada.run(['space', 'remove', 'kim@example.com', '--space', 'team'])).out).toBe(
      'Withdrew the invitation of kim@example.com.\n',
    );
    expect((await ada.run(['space', 'remove', linEmail(), '--space', 'team'])).out).toBe(`Removed ${linEmail()}.\n`);
    expect(await ada.run(['space', 'remove', linEmail(), '--space', 'team'])).toMatchObject({
      code: 1,
      err: `svc: ${linEmail()} is not in the space “team”. svc space members lists who is.\n`,
    });
    const { data } = await json<{ data: { action: string }[] }>(ada, 'space', 'log', '--space', 'team');
    expect(data.map(({ action }) => action)).toEqual([
      'removed',
      'removed',
      'changedRole',
      'invited',
      'joined',
      'invited',
      'created',
    ]);
    const log = (await ada.run(['space', 'log', '--space', 'team', '--limit', '2'], TTY)).out;
    expect(log).toContain(`ada-${people}@example.com removed ${linEmail()} (reader)  just now\n`);
    expect(log.trimEnd().split('\n')).toHaveLength(2);
  });

  test('copies memories of the own account by a part of their ids', async () => {
    await newSpace();
    const { id } = await json<{ id: string }>(ada, 'add', 'We deploy on Tuesdays');
    expect((await ada.run(['space', 'copy', id.slice(-8), '--space', 'team'])).out).toBe(
      'Copied 1 memory into “team”.\n',
    );
    const { data } = await json<{ data: object[] }>(ada, 'list', '--space', 'team');
    expect(data).toMatchObject([{ metadata: { copiedFrom: id }, author: `ada-${people}@example.com` }]);
    const missing = `mem_${'0'.repeat(32)}`;
    const failed = await ada.run(['space', 'copy', missing, '--space', 'team']);
    expect(failed).toMatchObject({ code: 1, out: '', err: `svc: Your own account has no memory ${missing}.\n` });
  });

  test('renames a space, and erases one after its name was typed', async () => {
    const { id } = await newSpace();
    expect((await ada.run(['space', 'rename', 'crew', '--space', 'team'])).out).toBe('“team” is named “crew” now.\n');
    expect(await ada.run(['space', 'delete', '--space', 'crew'])).toMatchObject({ code: 2 });
    const wrong = await ada.run(['space', 'delete', '--space', 'crew'], { ...TTY, typed: 'yes' });
    expect(wrong).toMatchObject({ code: 1, questions: ['Type its name to erase it: '] });
    expect(wrong.err).toContain('“crew” (1 member, 0 B) will be erased for everyone, for good.\n');
    expect((await ada.run(['space', 'delete', '--space', 'crew'], { ...TTY, typed: 'crew' })).out).toBe(
      'Erased the space “crew”.\n',
    );
    expect(await ada.run(['space', 'delete', '--space', id, '--yes'])).toMatchObject({
      code: 1,
      err: `svc: You are in no space “${id}”. svc space lists yours.\n`,
    });
  });

  test('asks for an id where two spaces have the name', async () => {
    const ids = [await newSpace(), await newSpace()].map(({ id }) => id);
    const { code, err } = await ada.run(['space', 'members', '--space', 'team']);
    expect(code).toBe(1);
    for (const id of ids) expect(err).toContain(`${id} (owner, of `);
    expect(await ada.run(['search', 'tea', '--space', 'team'])).toMatchObject({ code: 1 });
    expect(await ada.run(['search', 'tea', '--space', ids[0]!])).toMatchObject({ code: 0 });
  });
});

describe('the space that commands act in', () => {
  test('is named by --space, SVC_SPACE or svc space use, and always said', async () => {
    const { id } = await newSpace('Büro 東京');
    await ada.run(['add', 'The office is on the third floor', '--space', 'Büro 東京']);
    expect((await ada.run(['search', 'office'])).out).toBe('');
    const found = { code: 0, err: 'Space: Büro 東京\n', out: expect.stringContaining('third floor') };
    expect(await ada.run(['search', 'office', '--space', 'Büro 東京'])).toMatchObject(found);
    expect(await ada.run(['search', 'office'], { env: { SVC_SPACE: 'Büro 東京' } })).toMatchObject(found);
    expect((await ada.run(['space', 'use', 'Büro 東京'])).out).toContain('svc space use default ends that.');
    for (const words of [['search', 'office'], ['list'], ['context', 'office'], ['export']]) {
      expect(await ada.run(words), words.join(' ')).toMatchObject(found);
    }
    expect((await ada.run(['space'], TTY)).out).toContain('Büro 東京 (commands act here)');
    expect(await json(ada, 'space')).toMatchObject({ inUse: id });
    const own = { err: '', out: '' };
    expect(await ada.run(['search', 'office', '--space', 'default'])).toMatchObject(own);
    expect(await ada.run(['search', 'office'], { env: { SVC_SPACE: 'default' } })).toMatchObject(own);
    expect((await ada.run(['space', 'use', 'default'])).out).toBe('Commands act in your own account.\n');
    expect(await ada.run(['search', 'office'])).toMatchObject(own);
  });

  test('is not that of commands about the own account', async () => {
    await newSpace();
    await ada.run(['space', 'use', 'team']);
    expect(await ada.run(['connections'])).toMatchObject({ code: 0, err: '' });
    expect(await ada.run(['open', '--print'])).toMatchObject({ code: 0, err: '' });
    expect(await json(ada, 'space', 'create', 'other')).toMatchObject({ name: 'other' });
  });

  test('shows who wrote what', async () => {
    await newSpace();
    await addLin();
    const env = { SVC_SPACE: 'team' };
    const { id } = JSON.parse((await lin.run(['add', 'We deploy on Mondays', '--json'], { env })).out);
    await ada.run(['edit', id, '--content', 'We deploy on Tuesdays'], { env });
    const [byAda, byLin] = [`by ada-${people}@example.com`, `by ${linEmail()}`];
    expect((await lin.run(['search', 'deploy'], { ...TTY, env, columns: 120 })).out).toContain(`just now · ${byAda}`);
    const shown = (await lin.run(['show', id, '--history'], { ...TTY, env, columns: 120 })).out;
    expect(shown).toMatch(new RegExp(`version 2 .* ${byAda}\\n[^]*version 1 .* ${byLin}\\n`));
    const { conversationId } = (await remember('Tuesdays it is')).body;
    expect((await lin.run(['conversations', 'show', conversationId], { ...TTY, env })).out).toMatch(
      new RegExp(`user  \\d\\d:\\d\\d ${byAda}\\n`),
    );
  });

  test('keeps its meaning if another member renames the space', async () => {
    await newSpace();
    await addLin('owner');
    await ada.run(['space', 'use', 'team']);
    await ada.run(['add', 'We deploy on Tuesdays']);
    await lin.run(['space', 'rename', 'crew', '--space', 'team']);
    expect((await ada.run(['search', 'deploy'])).out).toContain('Tuesdays');
  });

  test('is refused once the membership has ended, and never replaced by the own account', async () => {
    await newSpace();
    await addLin();
    await lin.run(['space', 'use', 'team']);
    await ada.run(['space', 'remove', linEmail(), '--space', 'team']);
    const refused = await lin.run(['add', 'We deploy on Tuesdays']);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^Space: team\nsvc: You are in no space "\S+"\.\nsvc space lists yours and your invitations; svc space use default/,
    );
    expect(await json(lin, 'list', '--space', 'default')).toMatchObject({ data: [] });
  });

  test('ends with leaving or erasing the space', async () => {
    await newSpace();
    await addLin();
    for (const person of [ada, lin]) await person.run(['space', 'use', 'team']);
    expect((await lin.run(['space', 'leave', 'team'])).out).toBe('Left “team”.\n');
    expect((await ada.run(['space', 'delete', '--yes'])).out).toBe('Erased the space “team”.\n');
    for (const person of [ada, lin]) expect(await person.run(['list'])).toMatchObject({ code: 0, err: '' });
  });

  test('is asked for where a command needs one', async () => {
    expect(await ada.run(['space', 'members'])).toMatchObject({
      code: 2,
      err: 'svc: Name the space: add --space NAME, or choose one for all commands with svc space use NAME.\n',
    });
  });
});

describe('svc mcp', () => {
  const call = (name: string, args: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })}\n`;

  test('acts in the space of --space or SVC_SPACE, and otherwise in the own account', async () => {
    await newSpace();
    await ada.run(['space', 'use', 'team']);
    const add = { stdin: call('memory_add', { content: 'We deploy on Tuesdays' }), awaitsOutput: true };
    expect((await ada.run(['mcp', '--space', 'team'], add)).out).toContain('Tuesdays');
    const search = { stdin: call('memory_search', { query: 'when do we deploy' }), awaitsOutput: true };
    expect((await ada.run(['mcp'], search)).out).not.toContain('Tuesdays');
    expect((await ada.run(['mcp'], { ...search, env: { SVC_SPACE: 'team' } })).out).toContain('Tuesdays');
    expect((await ada.run(['mcp', '--space', 'crew'], search)).out).toMatch(/You are in no space \\*"crew/);
    const several = (await ada.run(['mcp', '--spaces', 'default,team'], search)).out;
    expect(several).toContain('Tuesdays');
    expect(several).toContain('in team;');
  });
});

describe('svc space read', () => {
  test('chooses what hooks read, everywhere or in a project, until --reset', async () => {
    const { id } = await newSpace();
    const settings = settingsOf(ada.folder);
    const [own, team] = [
      { id: 'default', name: 'default' },
      { id, name: 'team' },
    ];
    expect((await ada.run(['space', 'read', 'default', 'team'])).out.replaceAll('\n', ' ')).toBe(
      'Hooks read your own account, “team” in projects without a list of their own. ',
    );
    await ada.run(['space', 'read', '--project', 'team', 'team']);
    expect(settings.reads()).toEqual({ '*': [own, team], [ada.folder]: [team] });
    await ada.run(['space', 'read', '--project', '--reset']);
    expect(settings.reads()).toEqual({ '*': [own, team] });
    await ada.run(['space', 'delete', '--space', 'team', '--yes']);
    expect(settings.reads()).toEqual({ '*': [own] });
  });

  test('refuses more than eight, the tied one included, no name at all, and spaces that the account has not joined', async () => {
    const { id } = await newSpace();
    const names = ['default'];
    for (let index = 0; index < 7; index += 1) {
      names.push(JSON.parse((await ada.run(['space', 'create', `space ${index}`, '--json'])).out).id);
    }
    expect((await ada.run(['space', 'read', '--project', ...names])).code).toBe(0);
    await settingsOf(ada.folder).tie(ada.folder, { id, name: 'team' });
    const refused = await ada.run(['space', 'read', '--project', ...names]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('At most 8 spaces');
    expect(await ada.run(['space', 'read'])).toMatchObject({ code: 2 });
    expect((await lin.run(['space', 'read', 'team'])).err).toContain('You are in no space “team”');
  });
});

describe('svc space tie', () => {
  test('ties the project of the folder on this machine, until svc space untie', async () => {
    const { id } = await newSpace();
    await mkdir(join(ada.folder, '.git'));
    const settings = settingsOf(ada.folder);
    const tied = await ada.run(['space', 'tie', 'team']);
    expect(tied.out.replaceAll('\n', ' ')).toBe(
      `Tied ${ada.folder} to the space “team”. Hooks recall from it, and store in it what is said in the project. svc space untie ends that. `,
    );
    expect(settings.ties()).toEqual({ [ada.folder]: { id, name: 'team' } });
    expect((await ada.run(['space', 'untie'])).out).toBe(
      'Untied from the space “team”: hooks use your own account here again.\n',
    );
    expect(settings.ties()).toEqual({});
    expect(await ada.run(['space', 'untie'])).toMatchObject({ code: 1 });
  });

  test('is not ended by leaving the space, which says so, but by svc space untie, also from elsewhere', async () => {
    const { id } = await newSpace();
    const gone = join(ada.folder, 'gone');
    await settingsOf(ada.folder).tie(gone, { id, name: 'team' });
    const erased = await ada.run(['space', 'delete', '--space', 'team', '--yes']);
    expect(erased.err).toBe(`${gone} is still tied to it, and has no memory until svc space untie ${gone}\n`);
    expect((await ada.run(['space', 'untie', 'gone'])).code).toBe(0);
    expect(settingsOf(ada.folder).ties()).toEqual({});
  });

  test('refuses a space that the account has not joined', async () => {
    await newSpace();
    expect((await lin.run(['space', 'tie', 'team'])).err).toBe(
      'svc: You are in no space “team”. svc space lists yours.\n',
    );
    await ada.run(['space', 'invite', linEmail(), '--space', 'team']);
    expect((await lin.run(['space', 'tie', 'team'])).err).toContain('have not joined');
    expect(settingsOf(lin.folder).ties()).toEqual({});
  });
});
