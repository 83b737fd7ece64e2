import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { type ChecklistRow, McpChecklist } from '../../src/cli/ui/mcp-checklist.tsx';
import { promptChecklist } from '../../src/cli/ui/mcp-checklist-prompt.tsx';
import { createScreen } from './assistants/fake-screen.ts';
import { drawn } from './ink-turns.ts';

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
    await drawn();
    for (const key of keys) {
      stdin.write(key);
      await drawn();
    }
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

  test('shows offers under a heading, with what the one under the cursor is good for, and does not mean them by all', async () => {
    const section = 'Hooks: recall and store';
    const offer = { about: 'add hooks', state: 'open', section } as const;
    const { press, lines, onApply } = show([
      ...ROWS.slice(0, 2),
      { ...offer, id: 'claude-code hooks', title: 'Claude Code', explanation: 'Recalls without being asked.' },
      { ...offer, id: 'codex hooks', title: 'Codex' },
    ]);
    await press('a', DOWN);
    expect(lines()).toEqual([
      'Set up svc in which assistants?',
      '  ◉ Claude Code  add to ~/.claude.json',
      '  ✓ Codex        already set up',
      'Hooks: recall and store',
      '› ◯ Claude Code  add hooks',
      '  ◯ Codex        add hooks',
      'Recalls without being asked.',
      'space select · a all · enter apply (1) · esc cancel',
    ]);
    await press(' ', 'a', '\r');
    expect(onApply.mock.calls).toEqual([[['claude-code hooks']]]);
  });

  test('scrolls with the cursor if the terminal has too few lines', async () => {
    const screen = createScreen();
    Object.assign(screen.stderr, { rows: 16 });
    const rows = Array.from({ length: 30 }, (_, index): ChecklistRow => {
      return { id: String(index), title: `row ${index}.`, about: 'add', state: 'open' };
    });
    const chosen = promptChecklist('Which?', rows, { ...screen, color: false });
    await screen.shows('row 6.   add\n ↓ 23 more\n');
    await screen.press(...Array.from({ length: 29 }, () => DOWN));
    await screen.shows(' ↑ 23 more\n  ◯ row 23.');
    await screen.press(' ', '\r');
    expect(await chosen).toEqual(['29']);
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
