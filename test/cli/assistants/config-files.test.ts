import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChange } from '../../../src/cli/assistants/apply-change.ts';
import type { DesiredEntry } from '../../../src/cli/assistants/assistant.ts';
import { findAssistant } from '../../../src/cli/assistants/assistant-table.ts';
import { type ChangePlan, planChange } from '../../../src/cli/assistants/plan-change.ts';
import { jsonDocument, nestedDocument, tomlDocument, yamlDocument } from './arbitrary-documents.ts';
import { scratchHome } from './scratch-home.ts';

const KEY = `svc_live_${'1'.repeat(32)}`;
const STDIO: DesiredEntry = { transport: 'stdio', command: 'svc', args: ['mcp'], env: {} };
const HTTP: DesiredEntry = { transport: 'http', url: 'http://localhost:8787/v1/mcp', key: { literal: KEY } };

const scratch = scratchHome();
const plan = (id: string, entry: DesiredEntry | 'remove') =>
  planChange(findAssistant(id)!, 'user', entry, scratch.environment);
const apply = async (id: string, entry: DesiredEntry | 'remove') => {
  const planned: ChangePlan = await plan(id, entry);
  return { ...planned, ...(await applyChange(planned)) };
};
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('a new file', () => {
  test('is private to its owner, as are its new folders, and is deleted with the entry', async () => {
    const { path, created } = await apply('cursor', STDIO);
    expect(created).toBe(true);
    expect([await modeOf(path), await modeOf(dirname(path))]).toEqual(['600', '700']);
    const removed = await apply('cursor', 'remove');
    expect(removed.after).toBeUndefined();
    expect(await readdir(dirname(path))).toEqual(['mcp.json.svc-backup-1']);
  });

  test('contains the fields that the assistant requires', async () => {
    const { path } = await apply('continue', STDIO);
    expect(await readFile(path, 'utf8')).toMatch(
      /^name: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n {2}- name: svc\n/,
    );
  });

  test('is created at the target of an existing symbolic link', async () => {
    await mkdir(join(scratch.folder, 'dotfiles'));
    await mkdir(join(scratch.folder, 'home/.cursor'));
    const link = join(scratch.folder, 'home/.cursor/mcp.json');
    await symlink('../../dotfiles/cursor.json', link);
    await apply('cursor', STDIO);
    expect(await readlink(link)).toBe('../../dotfiles/cursor.json');
    expect(await readFile(join(scratch.folder, 'dotfiles/cursor.json'), 'utf8')).toContain('"svc"');
  });
});

describe('an existing file', () => {
  const OTHER = '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n';

  test('is replaced atomically at the target of its symbolic link, with a backup and the same mode', async () => {
    const real = await scratch.put('dotfiles/cursor.json', OTHER, 0o640);
    await mkdir(join(scratch.folder, 'home/.cursor'));
    const link = join(scratch.folder, 'home/.cursor/mcp.json');
    await symlink(real, link);
    const { backup } = await apply('cursor', STDIO);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(backup!, 'utf8')).toBe(OTHER);
    expect([backup, await modeOf(backup!), await modeOf(real)]).toEqual([`${real}.svc-backup-1`, '640', '640']);
    expect(await readdir(dirname(real))).toHaveLength(2);
  });

  test('is readable only by its owner once it contains a key, and so is a backup with a key', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', OTHER);
    await apply('cursor', HTTP);
    expect(await modeOf(path)).toBe('600');
    const { backup } = await apply('cursor', STDIO);
    expect(await readFile(backup!, 'utf8')).toContain(KEY);
    expect(await modeOf(backup!)).toBe('600');
  });

  test('is not rewritten or backed up if there is nothing to change', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', OTHER);
    await apply('cursor', STDIO);
    const { ino, mtimeMs } = await stat(path);
    const again = await apply('cursor', STDIO);
    expect([again.changed, again.action, again.backup]).toEqual([false, 'none', undefined]);
    expect(await stat(path)).toMatchObject({ ino, mtimeMs });
    expect((await plan('zed', 'remove')).changed).toBe(false);
  });

  test('preserves its byte order mark', async () => {
    const path = await scratch.put('home/.codex/config.toml', '\ufeffmodel = "x"\r\n');
    await apply('codex', STDIO);
    expect(await readFile(path, 'utf8')).toMatch(/^\ufeffmodel = "x"\r\n\r\n\[mcp_servers\.svc\]\r\n/);
    await apply('codex', 'remove');
    expect(await readFile(path, 'utf8')).toBe('\ufeffmodel = "x"\r\n');
  });

  test.each(['', '\n', '{}', '{\n}\n', '{"mcpServers": {}}', '{"mcpServers": { } }\n', '{\n  "theme": "dark"\n}'])(
    'is %j again after the entry is removed',
    async (text) => {
      const path = await scratch.put('home/.cursor/mcp.json', text);
      await apply('cursor', HTTP);
      expect(JSON.parse(await readFile(path, 'utf8')).mcpServers.svc.url).toBe('http://localhost:8787/v1/mcp');
      await apply('cursor', 'remove');
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  test('on one line is the same again after the entry has changed to another transport and is removed', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', '{"theirs": true}');
    for (const entry of [STDIO, HTTP, 'remove'] as const) await apply('cursor', entry);
    expect(await readFile(path, 'utf8')).toBe('{"theirs": true}');
  });

  test('loses only the entry if the assistant has changed the file in the meantime', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', '{}');
    await apply('cursor', STDIO);
    await writeFile(path, (await readFile(path, 'utf8')).replace('{', '{\n  "theirs": 1,'));
    await apply('cursor', 'remove');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ theirs: 1, mcpServers: {} });
  });

  test('is not written if it changed after the plan', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', OTHER);
    const planned = await plan('cursor', STDIO);
    await writeFile(path, '{"theirs": true}');
    await expect(applyChange(planned)).rejects.toThrow(/mcp\.json: was changed by another program in the meantime/);
    expect(await readFile(path, 'utf8')).toBe('{"theirs": true}');
    expect(await readdir(dirname(path))).toEqual(['mcp.json']);
  });

  test('has at most ten backups, including the first', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', OTHER);
    for (let round = 0; round < 8; round += 1) for (const entry of [HTTP, STDIO]) await apply('cursor', entry);
    const backups = (await readdir(dirname(path))).filter((name) => name.includes('backup'));
    expect(backups).toHaveLength(10);
    expect(await readFile(`${path}.svc-backup-1`, 'utf8')).toBe(OTHER);
  });
});

describe('a file is rejected with a one-line error and left untouched', () => {
  const expectRejected = async (path: string, reason: RegExp, entry: DesiredEntry | 'remove' = STDIO) => {
    const error = await plan('cursor', entry).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ name: 'ConfigFileError' });
    expect(error!.message).toMatch(reason);
    expect(error!.message.startsWith(path)).toBe(true);
    expect(error!.message).not.toContain('\n');
  };

  test('if it is malformed, with line and column', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', '{\n  "mcpServers": {\n    oops\n  }\n}\n');
    await expectRejected(path, /mcp\.json: line 3, column 5: not valid JSON/);
    await expectRejected(path, /line 3, column 5/, 'remove');
    expect(await readdir(dirname(path))).toEqual(['mcp.json']);
  });

  test('if it is read-only', async () => {
    await expectRejected(await scratch.put('home/.cursor/mcp.json', '{}', 0o444), /mcp\.json: is read-only$/);
  });

  test('if its folder is read-only', async () => {
    const path = await scratch.put('home/.cursor/mcp.json', '{}');
    await chmod(dirname(path), 0o555);
    await expectRejected(path, /is in .*\.cursor, which is read-only$/);
    await chmod(dirname(path), 0o755);
  });

  test('if it is a folder', async () => {
    await mkdir(join(scratch.folder, 'home/.cursor/mcp.json'), { recursive: true });
    await expectRejected(join(scratch.folder, 'home/.cursor/mcp.json'), /is a folder, not a file$/);
  });

  test('if its parent is a file', async () => {
    await scratch.put('home/.cursor', 'x');
    await expectRejected(join(scratch.folder, 'home/.cursor/mcp.json'), /has a parent that is not a folder$/);
  });

  test('if it is not UTF-8', async () => {
    await expectRejected(
      await scratch.put('home/.cursor/mcp.json', Buffer.from('{}', 'utf16le').fill(0xff, 1, 2)),
      /is not UTF-8 text$/,
    );
  });

  test('if it is a circular symbolic link', async () => {
    await mkdir(join(scratch.folder, 'home/.cursor'));
    const path = join(scratch.folder, 'home/.cursor/mcp.json');
    await symlink('mcp.json', path);
    await expectRejected(path, /is a circular symbolic link$/);
  });
});

test.each([
  ['gemini', '.gemini/settings.json', jsonDocument('mcpServers')],
  ['codex', '.codex/config.toml', tomlDocument],
  ['goose', '.config/goose/config.yaml', yamlDocument('extensions', 'map')],
  ['continue', '.continue/config.yaml', yamlDocument('mcpServers', 'list')],
  ['opencode', '.config/opencode/opencode.json', nestedDocument('mcp', 'servers')],
  ['openclaw', '.openclaw/openclaw.json', nestedDocument('mcp', 'servers')],
  ['amp', '.config/amp/settings.json', jsonDocument('amp.mcpServers')],
  ['grok', '.grok/config.toml', tomlDocument],
])('%s: any file is restored byte for byte after adding, changing and removing svc', async (id, name, documents) => {
  let round = 0;
  const property = fc.asyncProperty(documents, fc.boolean(), async ({ text }, withByteOrderMark) => {
    round += 1;
    const home = `home/${round}`;
    const environment = { ...scratch.environment, home: join(scratch.folder, home) };
    const content = (withByteOrderMark ? '\ufeff' : '') + text;
    const path = await scratch.put(`${home}/${name}`, content);
    for (const entry of [STDIO, HTTP, 'remove'] as const) {
      await applyChange(await planChange(findAssistant(id)!, 'user', entry, environment));
    }
    expect(await readFile(path, 'utf8')).toBe(content);
  });
  await fc.assert(property, { numRuns: 6 });
});
