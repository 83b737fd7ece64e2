import { setTimeout as sleep } from 'node:timers/promises';
import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { type ChecklistRow, McpChecklist } from '../../src/cli/ui/mcp-checklist.tsx';

const ROWS: ChecklistRow[] = [
  { id: 'claude-code', title: 'Claude Code', about: 'add to ~/.claude.json', state: 'open' },
  { id: 'codex', title: 'Codex', about: 'already set up', state: 'done' },
  { id: 'cursor', title: 'Cursor', about: 'update ~/.cursor/mcp.json', state: 'open', chosen: true },
  { id: 'zed', title: 'Zed', about: 'line 3, column 5: not valid JSON', state: 'error' },
];
const DOWN = '\u001b[B';
const UP = '\u001b[A';

function show(rows = ROWS) {
  const [onApply, onCancel] = [vi.fn(), vi.fn()];
  const props = { question: 'Set up svc in which assistants?', rows, color: false, onApply, onCancel };
  const { stdin, lastFrame } = render(createElement(McpChecklist, props));
  const press = async (...keys: string[]) => {
    for (const key of ['', ...keys]) {
      await sleep(30);
      if (key !== '') stdin.write(key);
    }
    await sleep(60);
  };
  return { lines: () => (lastFrame() ?? '').split('\n').map((line) => line.trimEnd()), press, onApply, onCancel };
}

describe('the checklist', () => {
  test('shows what would change for each assistant', () => {
    expect(show().lines()).toEqual([
      'Set up svc in which assistants?',
      '› ◯ Claude Code  add to ~/.claude.json',
      '  ✓ Codex        already set up',
      '  ◉ Cursor       update ~/.cursor/mcp.json',
      '  ✗ Zed          line 3, column 5: not valid JSON',
      'space select · a all · enter apply (1) · esc cancel',
    ]);
  });

  test('space selects, arrows skip rows that cannot be changed, enter applies', async () => {
    const { press, onApply, lines } = show();
    await press(' ', DOWN);
    expect(lines()[1]).toBe('  ◉ Claude Code  add to ~/.claude.json');
    expect(lines()[3]).toBe('› ◉ Cursor       update ~/.cursor/mcp.json');
    await press(DOWN, ' ', UP, UP, '\r');
    expect(onApply.mock.calls).toEqual([[['claude-code']]]);
  });

  test('a selects all, or none if all are selected', async () => {
    const { press, onApply } = show();
    await press('a', '\r', 'a', '\r');
    expect(onApply.mock.calls).toEqual([[['claude-code', 'cursor']], [[]]]);
  });

  test.each([
    ['esc', '\u001b'],
    ['ctrl-c', '\u0003'],
    ['q', 'q'],
  ])('%s cancels', async (_, key) => {
    const { press, onApply, onCancel } = show();
    await press(' ', key);
    expect(onCancel).toHaveBeenCalledOnce();
    expect(onApply).not.toHaveBeenCalled();
  });

  test('keys have no effect if there is nothing to select', async () => {
    const { press, onApply } = show(ROWS.filter(({ state }) => state !== 'open'));
    await press(DOWN, ' ', 'a', '\r');
    expect(onApply.mock.calls).toEqual([[[]]]);
  });
});
