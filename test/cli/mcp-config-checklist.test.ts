import { setTimeout as sleep } from 'node:timers/promises';
import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { type ChecklistRow, McpChecklist } from '../../src/cli/ui/mcp-checklist.tsx';

const ROWS: ChecklistRow[] = [
  { id: 'claude-code', title: 'Claude Code', about: 'add to ~/.claude.json', state: 'open' },
  { id: 'codex', title: 'Codex', about: 'set up already', state: 'done' },
  { id: 'cursor', title: 'Cursor', about: 'change in ~/.cursor/mcp.json', state: 'open', chosen: true },
  { id: 'zed', title: 'Zed', about: 'line 3, column 5: not valid JSON', state: 'fault' },
];
const DOWN = '\u001b[B';
const UP = '\u001b[A';

function show(rows = ROWS) {
  const [onApply, onCancel] = [vi.fn(), vi.fn()];
  const props = { question: 'Which assistants get svc?', rows, color: false, onApply, onCancel };
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
  test('says of each assistant what would change', () => {
    expect(show().lines()).toEqual([
      'Which assistants get svc?',
      '› ◯ Claude Code  add to ~/.claude.json',
      '  ✓ Codex        set up already',
      '  ◉ Cursor       change in ~/.cursor/mcp.json',
      '  ✗ Zed          line 3, column 5: not valid JSON',
      'space choose · a all · enter apply (1) · esc leave as it is',
    ]);
  });

  test('space chooses, arrows pass what is done or broken, enter applies', async () => {
    const { press, onApply, lines } = show();
    await press(' ', DOWN);
    expect(lines()[1]).toBe('  ◉ Claude Code  add to ~/.claude.json');
    expect(lines()[3]).toBe('› ◉ Cursor       change in ~/.cursor/mcp.json');
    await press(DOWN, ' ', UP, UP, '\r');
    expect(onApply.mock.calls).toEqual([[['claude-code']]]);
  });

  test('a chooses all, and none when all are chosen', async () => {
    const { press, onApply } = show();
    await press('a', '\r', 'a', '\r');
    expect(onApply.mock.calls).toEqual([[['claude-code', 'cursor']], [[]]]);
  });

  test.each([
    ['esc', '\u001b'],
    ['ctrl-c', '\u0003'],
    ['q', 'q'],
  ])('%s leaves all as it is', async (_, key) => {
    const { press, onApply, onCancel } = show();
    await press(' ', key);
    expect(onCancel).toHaveBeenCalledOnce();
    expect(onApply).not.toHaveBeenCalled();
  });

  test('with nothing to choose there is nothing that a key could do', async () => {
    const { press, onApply } = show(ROWS.filter(({ state }) => state !== 'open'));
    await press(DOWN, ' ', 'a', '\r');
    expect(onApply.mock.calls).toEqual([[[]]]);
  });
});
