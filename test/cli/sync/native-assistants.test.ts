import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nativeFolder } from '../../../src/cli/sync/native-assistants.ts';

/** Where assistants keep what they note about a project. */

let home: string;
let tea: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'svc-native-folder-')));
  tea = join(home, 'Tea');
  await mkdir(join(tea, 'src'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

function folderOf(project = tea, { env = {}, platform = 'linux' as NodeJS.Platform } = {}): Promise<string> {
  return nativeFolder('gemini-cli', project, { home, cwd: home, env, platform });
}

/** Lists a folder as Gemini CLI does when it starts there. */
async function register(name: string, root: string, { at = home, owner = root } = {}): Promise<string> {
  const folder = join(at, '.gemini', 'tmp', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, '.project_root'), owner);
  await writeFile(join(at, '.gemini', 'projects.json'), JSON.stringify({ projects: { [root]: name } }));
  return join(folder, 'memory');
}

test('of Gemini CLI is that which it has for the folder, by whatever link it is named', async () => {
  const folder = await register('tea-1', tea);
  await symlink(tea, join(home, 'link'));
  expect(await folderOf()).toBe(folder);
  expect(await folderOf(join(home, 'link'))).toBe(folder);
});

test('of Gemini CLI is another for each folder that it was started in', async () => {
  await mkdir(join(tea, '.git'));
  await register('tea', tea);
  await expect(folderOf(join(tea, 'src'))).rejects.toThrow(/not started in .*src yet/);
});

test('of Gemini CLI is in GEMINI_CLI_HOME, if set', async () => {
  const at = join(home, 'elsewhere');
  const folder = await register('tea', tea, { at });
  expect(await folderOf(tea, { env: { GEMINI_CLI_HOME: at } })).toBe(folder);
  await expect(folderOf()).rejects.toThrow('Start it there once');
});

test('of Gemini CLI is found on Windows, where it lists paths in lower case', async () => {
  const folder = await register('tea', tea.toLowerCase());
  expect(await folderOf(tea, { platform: 'win32' })).toBe(folder);
});

test.each([undefined, 'null', '{"projects":null}', '{"projects":[]}', '{'])(
  'of Gemini CLI is missing if its list of projects is %s',
  async (text) => {
    await mkdir(join(home, '.gemini'));
    if (text !== undefined) await writeFile(join(home, '.gemini', 'projects.json'), text);
    await expect(folderOf()).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(tea) });
  },
);

test('of Gemini CLI is missing if the name belongs to another folder, or to none', async () => {
  await register('tea', tea, { owner: join(home, 'Coffee') });
  await expect(folderOf()).rejects.toThrow('Start it there once');
  await rm(join(home, '.gemini', 'tmp'), { recursive: true });
  await expect(folderOf()).rejects.toThrow('Start it there once');
});

test('of Gemini CLI is missing if the name leads out of its folders', async () => {
  await register('../out', tea);
  await expect(folderOf()).rejects.toThrow('Start it there once');
});

test('is missing if the project is', async () => {
  await expect(folderOf(join(home, 'nowhere'))).rejects.toThrow('does not exist');
});
