import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runMcpConfig } from './run-mcp-config.ts';
import { scratchHome } from './scratch-home.ts';

const scratch = scratchHome();
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

/** Returns what `svc mcp-config claude-code --hooks` writes where svc is on the `PATH`. */
async function printed(): Promise<{ server: object; settings: { hooks: object } }> {
  const script = await scratch.put('svc/bin/svc', '#!/bin/sh\n');
  await chmod(script, 0o755);
  const onPath = join(scratch.folder, 'bin/svc');
  await mkdir(dirname(onPath), { recursive: true });
  await symlink(script, onPath);
  const program = { node: '/opt/node/bin/node', script };
  const { environment } = scratch;
  const { out } = await runMcpConfig(['claude-code', '--hooks', '--print', '--json'], {
    environment,
    context: { program },
  });
  const [server, settings] = JSON.parse(out).data.map(({ text }: { text: string }) => JSON.parse(text));
  return { server, settings };
}

describe('the plugin of Claude Code', () => {
  test('has the server entry and the hooks that svc mcp-config writes', async () => {
    const { server, settings } = await printed();
    expect(await read('plugins/claude-code/.mcp.json')).toEqual(server);
    expect(await read('plugins/claude-code/hooks/hooks.json')).toEqual({ hooks: settings.hooks });
  });

  test('has the version of the package, and is in its files and in the list that Claude Code reads', async () => {
    const [{ version, files }, plugin, list] = await Promise.all([
      read('package.json'),
      read('plugins/claude-code/.claude-plugin/plugin.json'),
      read('plugins/.claude-plugin/marketplace.json'),
    ]);
    expect(plugin).toMatchObject({ name: 'svc', version });
    expect(files).toContain('plugins');
    expect(list.plugins).toMatchObject([{ name: 'svc', source: './claude-code' }]);
  });

  test('has a command and a skill to tidy, which may run what suggests and what lists, and nothing that decides', async () => {
    const command = await readFile('plugins/claude-code/commands/tidy.md', 'utf8');
    const allowed = /^allowed-tools: (.*)$/m.exec(command)![1]!.split(', ');
    expect(allowed).toEqual(['Bash(svc tidy:*)', 'Bash(svc review --json)', 'Bash(svc status:*)']);
    const skill = await readFile('plugins/claude-code/skills/tidy-memories/SKILL.md', 'utf8');
    expect(skill).toMatch(/^---\nname: tidy-memories\ndescription: .{40,1024}\n---\n/);
    expect(skill.split('\n').length).toBeLessThanOrEqual(60);
    for (const text of [command, skill]) expect(text).not.toMatch(/--(?:accept|reject)|suggestions_accept/);
  });

  test('has a short skill to recall, store and correct', async () => {
    const skill = await readFile('plugins/claude-code/skills/use-memory/SKILL.md', 'utf8');
    expect(skill).toMatch(/^---\nname: use-memory\ndescription: .{40,1024}\n---\n/);
    expect(skill.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });
});
