import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, realpath, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { projectFolder } from '../../src/cli/hook/project-name.ts';
import { openSettings } from '../../src/cli/settings.ts';
import { SPACE_HEADER, type Space, type SpaceMember, type SpaceRole } from '../../src/contract/spaces.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { hookHarness, type Said, SILENT } from './hook-harness.ts';

const harness = hookHarness();
const { hook, hookProcess, stored, add } = harness;

let owner: string;
let space: Space;
let member: SpaceMember;
let repository: string;
let owners = 0;

beforeEach(async () => {
  owners += 1;
  ({ apiKey: owner } = await makeTenant(harness.daemon, `owner-${owners}@example.com`, 'Enterprise'));
  repository = join(harness.folder, 'tea');
  await mkdir(join(repository, 'src'), { recursive: true });
  execFileSync('git', ['init', '--quiet', repository]);
});

/** Ties the repository to a space of another account, in which that of the hooks has a role. */
async function tieAs(role: SpaceRole): Promise<void> {
  const { daemon, apiKey } = harness;
  space = (await daemon.call<Space>(owner, '/v1/spaces', { body: { name: 'team' } })).body;
  const { email } = (await daemon.call<{ email: string }>(apiKey, '/v1/account')).body;
  member = (await daemon.call<SpaceMember>(owner, `/v1/spaces/${space.id}/members`, { body: { email, role } })).body;
  await daemon.call(apiKey, `/v1/spaces/${space.id}/join`, { method: 'POST' });
  await settings().tie(repository, { id: space.id, name: 'team' });
}

const settings = () =>
  openSettings({
    home: harness.folder,
    platform: process.platform,
    cwd: harness.folder,
    env: { SVC_CONFIG_DIR: join(harness.folder, 'settings') },
  });

const remove = () => harness.daemon.call(owner, `/v1/spaces/${space.id}/members/${member.id}`, { method: 'DELETE' });

const inSpace = <T>(path: string, body?: object) =>
  harness.daemon.call<T>(owner, path, { headers: { [SPACE_HEADER]: space.id }, ...(body && { body }) });

async function storedInSpace(): Promise<(Said & { author: string })[]> {
  const { body } = await inSpace<{ data: { id: string }[] }>('/v1/conversations');
  const pages = body.data.map(({ id }) =>
    inSpace<{ data: (Said & { author: string })[] }>(`/v1/conversations/${id}/messages?order=oldest`),
  );
  const messages = (await Promise.all(pages)).flatMap((page) => page.body.data);
  return messages.map(({ role, content, author }) => ({ role, content, author }));
}

const session = (fields: object = {}, cwd = join(repository, 'src')) => ({ session_id: 'session-1', cwd, ...fields });
const contextIn = (stdout: string): string => JSON.parse(stdout).hookSpecificOutput.additionalContext;

async function talk(cwd?: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await hook('prompt', session({ prompt: 'Which tea does the office drink?' }, cwd), { env });
  await hook('stop', session({ last_assistant_message: 'Oolong, as ever.' }, cwd), { env });
  await hook('session-end', session({}, cwd), { env });
  return stdout;
}

test('hooks in a tied project recall from the space and what their list adds, capture into the space, and say so first', async () => {
  await tieAs('writer');
  await settings().read(repository, [{ id: 'default', name: 'default' }]);
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  await add('Ada drinks jasmine tea in the office');
  const started = contextIn((await hookProcess('session-start', session({ source: 'startup' }))).stdout);
  expect(started.split('\n')[0]).toBe(
    `Memory of this project is shared with the space "team" (2 members). It is read from the user's own account, too. What is said here is stored in the space, for all its members.`,
  );
  expect(started).toMatch(
    /In the shared space "team":\n[\s\S]*The office drinks oolong tea \(by owner-\d+@example\.com\)[\s\S]*<\/svc-memory/,
  );
  expect(started).toContain('jasmine');
  await inSpace('/v1/memories', { content: 'The office drinks its tea at four' });
  await add('Which tea the office drinks: Ada likes sencha there');
  const recalled = await talk();
  expect(recalled).toMatch(/in team, by owner-\d+@example\.com\) The office drinks its tea at four/);
  expect(recalled).toContain('sencha');
  const author = (await harness.daemon.call<{ email: string }>(harness.apiKey, '/v1/account')).body.email;
  expect(await storedInSpace()).toEqual([
    { role: 'user', content: 'Which tea does the office drink?', author },
    { role: 'assistant', content: 'Oolong, as ever.', author },
  ]);
  expect(await stored()).toEqual([]);
});

test('hooks elsewhere use the own account: the name or the origin of a project ties nothing, nor does SVC_SPACE', async () => {
  await tieAs('writer');
  const clone = join(harness.folder, 'elsewhere', 'tea');
  await mkdir(clone, { recursive: true });
  for (const folder of [repository, clone]) {
    execFileSync('git', ['init', '--quiet', folder]);
    execFileSync('git', ['-C', folder, 'remote', 'add', 'origin', 'https://github.com/acme/tea']);
  }
  expect(await hook('session-start', session({ source: 'startup' }, clone))).toEqual(SILENT);
  await talk(clone, { SVC_SPACE: 'team' });
  expect(await storedInSpace()).toEqual([]);
  expect((await stored()).flat()).toHaveLength(2);
});

test('a session that began elsewhere stores nothing in the space, though its assistant goes into the tied project', async () => {
  await tieAs('writer');
  const outer = harness.folder;
  await mkdir(join(outer, '.git'));
  await hook('session-start', session({ source: 'startup' }, outer));
  await hook('prompt', session({ prompt: 'My salary is 90000. Is the tea fine?' }, outer));
  await hook('stop', session({ last_assistant_message: 'With your salary, yes.' }, repository));
  await hook('session-end', session({}, repository));
  expect(await storedInSpace()).toEqual([]);
  expect((await stored()).flat()).toHaveLength(2);
});

test('a session that began in the tied project stores all in the space, wherever its assistant goes', async () => {
  await tieAs('writer');
  await hook('session-start', session({ source: 'startup' }));
  await hook('prompt', session({ prompt: 'Which tea does the office drink?' }));
  await hook('stop', session({ last_assistant_message: 'Oolong, as ever.' }, harness.folder));
  await hook('session-end', session({}, harness.folder));
  expect((await storedInSpace()).map(({ content }) => content)).toEqual([
    'Which tea does the office drink?',
    'Oolong, as ever.',
  ]);
  expect(await stored()).toEqual([]);
});

test('a worktree shares the tie of its repository, and a folder that claims to be one does not', async () => {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  execFileSync('git', ['-C', repository, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'Begin']);
  const worktree = join(harness.folder, 'tea-next');
  execFileSync('git', ['-C', repository, 'worktree', 'add', '--quiet', worktree], { stdio: 'ignore' });
  const [direct, copied] = [join(harness.folder, 'direct'), join(harness.folder, 'copied')];
  for (const folder of [direct, copied]) await mkdir(folder);
  await writeFile(join(direct, '.git'), `gitdir: ${join(repository, '.git')}\n`);
  await copyFile(join(worktree, '.git'), join(copied, '.git'));
  const folders = await Promise.all([repository, join(repository, 'src'), worktree, direct, copied].map(projectFolder));
  const real = await realpath(repository);
  expect(folders).toEqual([real, real, real, await realpath(direct), await realpath(copied)]);
});

test('hooks in a tied project of a removed member store and recall nothing anywhere, and say so', async () => {
  await tieAs('writer');
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  await add('Ada drinks jasmine tea in the office');
  await hook('prompt', session({ prompt: 'Which tea do we drink now?' }));
  await remove();
  const started = contextIn((await hook('session-start', session({ source: 'resume' }))).stdout);
  expect(started).toMatch(/^Memory of this project is off: it is tied to the space "team".*svc space untie.*$/);
  expect(await talk()).toBe('');
  expect(await storedInSpace()).toEqual([]);
  expect(await stored()).toEqual([]);
  await settings().tie(repository, undefined);
  expect(contextIn((await hook('session-start', session({ source: 'startup' }))).stdout)).toContain('jasmine');
  await talk();
  expect((await stored()).flat()).toHaveLength(2);
  expect(await storedInSpace()).toEqual([]);
});

test('hooks of a reader recall, and say that nothing is stored', async () => {
  await tieAs('reader');
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  const started = contextIn((await hook('session-start', session({ source: 'startup' }))).stdout);
  expect(started.split('\n')[0]).toMatch(
    /\(2 members\)\. .*The user may only read there: nothing said here is stored\.$/,
  );
  expect(started).toContain('oolong');
  await talk();
  expect(await storedInSpace()).toEqual([]);
  expect(await stored()).toEqual([]);
});

test('hooks in a tied project read the space alone unless a list for it says otherwise', async () => {
  await tieAs('writer');
  await settings().read('*', [{ id: 'default', name: 'default' }]);
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  await add('Ada drinks jasmine tea in the office');
  const started = contextIn((await hook('session-start', session({ source: 'startup' }))).stdout);
  expect(started).toContain('oolong');
  expect(started).not.toContain('jasmine');
  expect(started).not.toContain('own account');
  expect(await talk()).not.toContain('jasmine');
});

test('hooks elsewhere read the spaces of the list, store in the own account, and say so first', async () => {
  await tieAs('reader');
  await settings().tie(repository, undefined);
  const own = { id: 'default', name: 'default' };
  await settings().read('*', [own, { id: space.id, name: 'team' }]);
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  await add('Ada drinks jasmine tea in the office');
  const started = contextIn((await hook('session-start', session({ source: 'startup' }))).stdout);
  expect(started.split('\n')[0]).toBe(
    `Memory of this session is read from the user's own account and the space "team" (2 members). What is said here is stored in the user's own account.`,
  );
  for (const word of ['oolong', 'jasmine']) expect(started).toContain(word);
  await inSpace('/v1/memories', { content: 'The office drinks its tea at four' });
  expect(await talk()).toContain('tea at four');
  expect((await stored()).flat()).toHaveLength(2);
  expect(await storedInSpace()).toEqual([]);
  await settings().read(repository, [own]);
  const alone = await hook('session-start', session({ session_id: 'session-2', source: 'startup' }));
  expect(alone.stdout).toContain('jasmine');
  expect(alone.stdout).not.toContain('team');
});

test('hooks go on with what is left of their list once a membership has ended, and say so at the next start', async () => {
  await tieAs('reader');
  await settings().tie(repository, undefined);
  await settings().read('*', [
    { id: 'default', name: 'default' },
    { id: space.id, name: 'team' },
  ]);
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  await add('Ada drinks jasmine tea in the office');
  await remove();
  const recalled = await hook('prompt', session({ prompt: 'Which tea does the office drink?' }));
  expect(recalled.stdout).toContain('jasmine');
  expect(recalled.stdout).not.toContain('oolong');
  const started = contextIn((await hook('session-start', session({ source: 'resume' }))).stdout);
  expect(started).toContain('Nothing is read from the space "team": the user is not a member.');
  expect(started).not.toContain('oolong');
});

test('a prompt costs one request, however many spaces are read', async () => {
  await tieAs('writer');
  await inSpace('/v1/memories', { content: 'The office drinks oolong tea' });
  const requests: string[] = [];
  const port = await freePort();
  const upstream = new URL(harness.daemon.baseUrl);
  const proxy = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { method, url: path, headers } = request;
    request.pipe(
      httpRequest({ host: upstream.hostname, port: upstream.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  try {
    const env = { SVC_URL: `http://127.0.0.1:${port}` };
    const { stdout } = await hook('prompt', session({ prompt: 'Which tea does the office drink?' }), { env });
    expect(stdout).toContain('oolong');
    expect(requests).toEqual(['POST /v1/context']);
  } finally {
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test('what was said while no daemon answered reaches the space later, also once the project is untied', async () => {
  await tieAs('writer');
  const port = await freePort();
  const env = { SVC_URL: `http://127.0.0.1:${port}` };
  const away = await hook('session-start', session({ source: 'startup' }), { env });
  expect(contextIn(away.stdout)).toMatch(
    /^Memory of this project is shared with the space "team"\. .*for all its members\.$/,
  );
  await hook('stop', session({ last_assistant_message: 'Oolong, as ever.' }), { env });
  await settings().tie(repository, undefined);
  const proxy = createServer((socket) => {
    const upstream = connect(Number(new URL(harness.daemon.baseUrl).port), '127.0.0.1');
    socket.on('error', () => {}).pipe(upstream.on('error', () => {}));
    upstream.pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  try {
    await hook('stop', session({ last_assistant_message: 'Untied.' }), { env });
  } finally {
    await new Promise((resolve) => proxy.close(resolve));
  }
  expect((await storedInSpace()).map(({ content }) => content)).toEqual(['Oolong, as ever.']);
  expect(await stored()).toEqual([[{ role: 'assistant', content: 'Untied.' }]]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
