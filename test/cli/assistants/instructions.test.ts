import { readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readInstructions,
  removeInstructions,
  writeInstructions,
} from '../../../src/cli/assistants/editing/edit-instructions.ts';
import { type RunOptions, runMcpConfig } from './run-mcp-config.ts';
import { scratchHome } from './scratch-home.ts';

const BLOCK = writeInstructions('').trimEnd();
const scratch = scratchHome();
const run = (argv: string[], options: Partial<RunOptions> = {}) =>
  runMcpConfig(argv, { environment: scratch.environment, ...options });
const read = (path: string) => readFile(join(scratch.folder, path), 'utf8');

describe('the block of instructions', () => {
  test('has at most ten lines, and the tools that it names exist', async () => {
    expect(BLOCK.split('\n').length).toBeLessThanOrEqual(10);
    const source = await readFile('src/daemon/mcp/mcp-tools.ts', 'utf8');
    const named = new Set(BLOCK.match(/memory_\w+/g));
    expect([...named].filter((name) => !source.includes(`name: '${name}'`))).toEqual([]);
    expect(named.size).toBe(4);
  });

  const markdown = fc
    .tuple(
      fc.array(fc.constantFrom('# Title', '', 'ключ 🧠', '- item', '<!-- note -->', '```', '  code')),
      fc.boolean(),
    )
    .chain(([lines, final]) =>
      fc.constantFrom('\n', '\r\n').map((lineBreak) => lines.join(lineBreak) + (final ? lineBreak : '')),
    );

  test('is added at the end of any text, once, and removed without a trace', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const added = writeInstructions(text);
        expect(added.startsWith(text)).toBe(true);
        expect(writeInstructions(added)).toBe(added);
        if (text !== '') expect(removeInstructions(added)).toBe(text);
        expect(removeInstructions(text)).toBe(text);
      }),
    );
  });

  test('is updated where its owner has moved it', () => {
    const text = '# Mine\n\n<!-- svc:begin -->\nold\n<!-- svc:end -->\n\nafter\n';
    expect(writeInstructions(text)).toBe(`# Mine\n\n${BLOCK}\n\nafter\n`);
    expect(removeInstructions(text)).toBe('# Mine\n\nafter\n');
    expect(readInstructions(text)).toBe('<!-- svc:begin -->\nold\n<!-- svc:end -->');
  });

  test.each([
    '<!-- svc:begin -->\n',
    '<!-- svc:end -->\n',
    '<!-- svc:end --><!-- svc:begin -->',
    `${BLOCK}\n${BLOCK}\n`,
  ])('%j is rejected', (text) => {
    expect(() => writeInstructions(text)).toThrow('expected one <!-- svc:begin --> with one <!-- svc:end --> after it');
    expect(() => removeInstructions(text)).toThrow('restore the fences or delete them');
  });
});

describe('--instructions', () => {
  test.each([
    ['claude-code', '.claude/CLAUDE.md', 'CLAUDE.md'],
    ['codex', '.codex/AGENTS.md', 'AGENTS.md'],
    ['gemini', '.gemini/GEMINI.md', 'GEMINI.md'],
    ['copilot', '.copilot/copilot-instructions.md', 'AGENTS.md'],
    ['opencode', '.config/opencode/AGENTS.md', 'AGENTS.md'],
    ['qwen', '.qwen/QWEN.md', 'QWEN.md'],
    ['amp', '.config/amp/AGENTS.md', 'AGENTS.md'],
    ['devin', '.config/devin/AGENTS.md', 'AGENTS.md'],
    ['antigravity', '.gemini/GEMINI.md', 'AGENTS.md'],
  ])('of %s are written, listed, and removed without a trace', async (id, user, project) => {
    for (const [scope, path] of [
      ['user', `home/${user}`],
      ['project', `project/${project}`],
    ] as const) {
      expect((await run([id, '--instructions', '--scope', scope])).exitCode).toBe(0);
      expect(await read(path)).toBe(`${BLOCK}\n`);
      const { data } = JSON.parse((await run(['--list', '--json'])).out);
      const found = data.find(({ client }: { client: string }) => client === id);
      expect(found.instructions).toEqual([{ scope, path: join(scratch.folder, path) }]);
      await run([id, '--remove', '--scope', scope]);
      await expect(stat(join(scratch.folder, path))).rejects.toThrow('ENOENT');
    }
  });

  test('are added to what the file says, with a backup, and only if asked for', async () => {
    const path = await scratch.put('home/.claude/CLAUDE.md', '# Mine\r\n\r\nNo trailing line break', 0o640);
    await run(['claude-code']);
    expect(await read('home/.claude/CLAUDE.md')).not.toContain('svc');
    const { out } = await run(['claude-code', '--instructions']);
    expect(out).toContain('Claude Code: already set up in ~/.claude.json\n');
    expect(out).toContain('✓ Claude Code: instructions added to ~/.claude/CLAUDE.md (backup: ');
    expect(await read('home/.claude/CLAUDE.md.svc-backup-1')).toBe('# Mine\r\n\r\nNo trailing line break');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await run(['claude-code', '--instructions'])).out).toContain('· Claude Code: instructions already in');
    expect((await run(['--remove', '--yes'])).out.match(/✓ Claude Code: (instructions )?removed from/g)).toHaveLength(
      2,
    );
    expect(await read('home/.claude/CLAUDE.md')).toBe('# Mine\r\n\r\nNo trailing line break');
  });

  test('are written once to a file that assistants share', async () => {
    await scratch.put('project/AGENTS.md', '# Project\n');
    await symlink('AGENTS.md', join(scratch.folder, 'project/CLAUDE.md'));
    const argv = ['claude-code', 'codex', 'opencode', '--instructions', '--scope', 'project'];
    expect((await run([...argv, '--dry-run'])).out.match(/\+<!-- svc:begin -->/g)).toHaveLength(1);
    expect(await run(argv)).toMatchObject({ exitCode: 0 });
    expect(await read('project/AGENTS.md')).toBe(`# Project\n\n${BLOCK}\n`);
    expect(await run([...argv, '--remove'])).toMatchObject({ exitCode: 0 });
    expect(await read('project/AGENTS.md')).toBe('# Project\n');
  });

  test('the checklist says what happens to each file', async () => {
    await run(['claude-code']);
    const environment = { ...scratch.environment, env: { INK_SCREEN_READER: '1' } };
    await run(['codex']);
    const { error, out } = await run(['--instructions'], { environment, answers: ['2'] });
    expect(error).toContain('1. Claude Code: add instructions to ~/.claude/CLAUDE.md\n');
    expect(out).toContain('Codex: instructions added to ~/.codex/AGENTS.md');
    await expect(read('home/.claude/CLAUDE.md')).rejects.toThrow('ENOENT');
  });

  test('are printed with --print, and nothing is written', async () => {
    expect((await run(['claude-code', '--instructions', '--print'])).out).toContain(
      `# ~/.claude/CLAUDE.md\n${BLOCK}\n`,
    );
    await expect(read('home/.claude/CLAUDE.md')).rejects.toThrow('ENOENT');
  });

  test('a file whose fences are damaged is reported and left alone', async () => {
    await scratch.put('home/.claude/CLAUDE.md', 'a\n<!-- svc:begin -->\n');
    const { exitCode, error } = await run(['claude-code', '--instructions']);
    expect(exitCode).toBe(1);
    expect(error).toContain('! Claude Code: ~/.claude/CLAUDE.md: expected one <!-- svc:begin -->');
    expect(await read('home/.claude/CLAUDE.md')).toBe('a\n<!-- svc:begin -->\n');
  });

  test('naming an assistant without such a file exits with code 2 and writes nothing', async () => {
    const { exitCode, error } = await run(['goose', '--instructions']);
    expect([exitCode, error]).toEqual([
      2,
      expect.stringContaining('Goose has no user file for instructions that svc knows: omit --instructions.'),
    ]);
    await expect(read('home/.config/goose/config.yaml')).rejects.toThrow('ENOENT');
  });
});
