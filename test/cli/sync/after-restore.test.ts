import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type CliUser, createCliUser } from '../memory-harness.ts';

let daemon: TestDaemon;
let apiKey: string;
let client: Client;
let person: CliUser;
let count = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  count += 1;
  apiKey = (await daemon.signIn(`person-${count}@example.com`)).apiKey;
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
});
afterEach(() => person.close());

const textsIn = async (root: string) => {
  const names = (await readdir(root)).filter((name) => name.endsWith('.md'));
  return (await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')))).join('\n');
};

describe('after a backup was restored', () => {
  let root: string;
  let restored: string;
  let after: TestDaemon;
  let again: CliUser;

  /** Synchronizes, keeps a backup, and changes notes with `edit`; what the backup lacks is synchronized once more. */
  async function restoreAfter(edit: (nameOf: (start: string) => Promise<string>) => Promise<void>): Promise<void> {
    root = join(person.folder, 'notes');
    await client.memories.createMany([{ content: 'The plan: draft one' }, { content: 'Ada prefers tea' }]);
    await person.run(['sync', root, '--once']);
    restored = await mkdtemp(join(tmpdir(), 'svc-restored-'));
    await daemon.db.checkpoint();
    await copyFile(join(daemon.folder, 'svc.db'), join(restored, 'svc.db'));
    await copyFile(join(daemon.folder, 'master.key'), join(restored, 'master.key')).catch(() => {});
    await edit(async (start) => join(root, (await readdir(root)).find((name) => name.startsWith(start))!));
    await person.run(['sync', root, '--once']);
    after = await startTestDaemon({ dataDir: restored, clock: daemon.clock });
    again = await createCliUser(after.baseUrl, apiKey, daemon.clock);
  }

  afterEach(async () => {
    await again.close();
    await after.close();
    await rm(restored, { recursive: true, force: true });
  });

  const stored = async () =>
    (await createClient({ baseUrl: after.baseUrl, apiKey }).memories.list()).data.map(({ content }) => content).sort();

  test('what was written since is sent again, changed and new', async () => {
    await restoreAfter(async (nameOf) => {
      const plan = await nameOf('The plan');
      await writeFile(plan, (await readFile(plan, 'utf8')).replace('draft one', 'ten pages of today'));
      await writeFile(join(root, 'New.md'), 'A whole new chapter\n');
    });
    expect((await again.run(['sync', root, '--once'])).code).toBe(0);
    expect(await textsIn(root)).toMatch(/ten pages of today/);
    expect(await textsIn(root)).toMatch(/A whole new chapter/);
    expect((await stored()).join('\n')).toMatch(/A whole new chapter[\s\S]*Ada prefers tea[\s\S]*ten pages of today/);
    expect((await again.run(['sync', root, '--once'])).out).toContain('In sync');
  });

  test('without the record of the folder, new notes are sent again that were all that was lost', async () => {
    await restoreAfter(async () => writeFile(join(root, 'New.md'), 'A whole new chapter\n'));
    await rm(join(root, '.svc'), { recursive: true });
    await again.run(['sync', root, '--once']);
    expect(await textsIn(root)).toMatch(/A whole new chapter/);
    expect(await stored()).toEqual(['A whole new chapter', 'Ada prefers tea', 'The plan: draft one']);
  });

  test('a note that was changed on both sides since is kept in both versions', async () => {
    await restoreAfter(async (nameOf) => {
      const plan = await nameOf('The plan');
      await writeFile(plan, (await readFile(plan, 'utf8')).replace('draft one', 'ten pages of today'));
    });
    const elsewhere = createClient({ baseUrl: after.baseUrl, apiKey });
    const plan = (await elsewhere.memories.list()).data.find(({ content }) => content.startsWith('The plan'))!;
    await elsewhere.memories.update(plan.id, { content: 'The plan: begun anew' });
    await again.run(['sync', root, '--once']);
    const all = [await textsIn(root), ...(await stored())].join('\n');
    expect(all).toContain('ten pages of today');
    expect(all).toContain('begun anew');
  });
});

test('a note whose name this disk cannot hold is reported, and stops no other', async () => {
  const work = join(person.folder, 'work');
  await mkdir(join(work, '.git'), { recursive: true });
  await writeFile(join(work, '.git/config'), '[remote "origin"]\n  url = git@github.com:acme/tea.git\n');
  const project = 'github.com/acme/tea';
  const note = (name: string, text: string) => {
    const externalId = `claude-code:${project}/${name}`;
    return client.memories.create({ content: `${name}\n\n${text}`, externalId, project, tags: ['claude-code'] });
  };
  await note('MEMORY.md', 'Ada prefers tea');
  // 101 characters and 297 bytes: fine for macOS and Windows.
  await note(`${'会議の議事録と'.repeat(14)}.md`, 'Minutes');
  const ran = await person.run(['sync', work, '--native', 'claude-code', '--once']);
  const folder = join(person.folder, `.claude/projects/${work.replace(/[^a-zA-Z0-9]/g, '-')}/memory`);
  expect(await readdir(folder)).toContain('MEMORY.md');
  expect(ran.out).toContain('In sync');
  expect(ran.out + ran.err).toContain('it cannot be written');
});
