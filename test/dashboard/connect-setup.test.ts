import { describe, expect, test } from 'vitest';
import { renderEntry } from '../../src/cli/assistants/assistant.ts';
import { ASSISTANT_NAMES, assistantOf, titleOfClient } from '../../src/cli/assistants/assistant-names.ts';
import { ASSISTANTS, findAssistant } from '../../src/cli/assistants/assistant-table.ts';
import { addEntry } from '../../src/cli/assistants/write-entry.ts';
import type { Connection } from '../../src/client/client.ts';
import { connectionLines } from '../../src/dashboard/views/connect/connection-lines.ts';
import { fileText } from '../../src/dashboard/views/connect/entry-text.ts';
import { lastSeen, otherClients, seenClients } from '../../src/dashboard/views/connect/seen-clients.ts';
import {
  configPath,
  entryFor,
  KEY_PLACEHOLDER,
  setupCommand,
  systemOf,
} from '../../src/dashboard/views/connect/setup.ts';

const ORIGIN = 'http://127.0.0.1:7777';

describe('the snippet of an assistant', () => {
  for (const assistant of ASSISTANTS) {
    for (const transport of ['stdio', 'http'] as const) {
      test(`${assistant.id} over ${transport} equals what svc mcp-config writes to a new file`, () => {
        const entry = entryFor(transport, ORIGIN, KEY_PLACEHOLDER);
        const rendered = renderEntry(assistant, entry);
        const written = rendered && addEntry(assistant, 'user', '', rendered).trimEnd();
        expect(fileText(assistant, entry)).toBe(written);
      });
    }
  }

  test('quotes YAML texts that would be read as something else', () => {
    const goose = findAssistant('goose')!;
    const entry = { transport: 'stdio' as const, command: 'svc', args: ['true', '1', 'a: b', '#', 'mcp'], env: {} };
    const text = fileText(goose, entry)!;
    expect(text).toContain(['- "true"', '- "1"', '- "a: b"', '- "#"', '- mcp'].join('\n      '));
  });
});

describe('the command that writes the entry', () => {
  const cursor = findAssistant('cursor')!;
  const given = { origin: ORIGIN, key: 'svc_live_1' };

  test('carries the key that the terminal does not have, in the syntax of the system', () => {
    expect(setupCommand(cursor, 'http', 'linux', given)).toBe(
      `SVC_URL=${ORIGIN} SVC_API_KEY=svc_live_1 svc mcp-config cursor --transport http`,
    );
    expect(setupCommand(cursor, 'http', 'windows', given)).toBe(
      `$env:SVC_URL='${ORIGIN}'; $env:SVC_API_KEY='svc_live_1'; svc mcp-config cursor --transport http`,
    );
  });

  test('carries no key otherwise', () => {
    expect(setupCommand(cursor, 'http', 'linux')).toBe('svc mcp-config cursor --transport http');
    expect(setupCommand(cursor, 'stdio', 'linux', given)).toBe('svc mcp-config cursor');
  });
});

describe('the path of a configuration file', () => {
  test('follows the conventions of each system', () => {
    const paths = (id: string) =>
      (['macos', 'linux', 'windows'] as const).map((system) => configPath(findAssistant(id)!, system));
    expect(paths('claude-code')).toEqual(['~/.claude.json', '~/.claude.json', '%USERPROFILE%\\.claude.json']);
    expect(paths('claude-desktop')).toEqual([
      '~/Library/Application Support/Claude/claude_desktop_config.json',
      '~/.config/Claude/claude_desktop_config.json',
      '%APPDATA%\\Claude\\claude_desktop_config.json',
    ]);
    expect(paths('zed')).toEqual([
      '~/.config/zed/settings.json',
      '~/.config/zed/settings.json',
      '%APPDATA%\\Zed\\settings.json',
    ]);
  });

  test('is first shown for the system of the reader', () => {
    expect(['MacIntel', 'Win32', 'Linux x86_64', ''].map(systemOf)).toEqual(['macos', 'windows', 'linux', 'linux']);
  });
});

describe('the name of a client', () => {
  test.each([
    ['claude-code/2.0.1', 'claude-code'],
    ['claude-ai 0.1.0', 'claude-desktop'],
    ['codex-mcp-client 0.50', 'codex'],
    ['gemini-cli-mcp-client 0.9', 'gemini'],
    ['cursor-vscode 1.0.0', 'cursor'],
    ['Visual Studio Code 1.105', 'vscode'],
    ['Cline 3.1', 'cline'],
    ['opencode 1.0', 'opencode'],
  ])('%s belongs to %s', (client, id) => expect(assistantOf(client)).toBe(id));

  test('is shown as the title of its assistant, or without its version', () => {
    const clients = ['claude-code', 'codex-mcp-client/0.50', 'my-agent', 'curl/8.5.0', 'my agent v2', 'agent-7'];
    expect(clients.map(titleOfClient)).toEqual(['Claude Code', 'Codex', 'my-agent', 'curl', 'my agent', 'agent-7']);
  });

  test('of something else belongs to no assistant', () => {
    expect(assistantOf('curl 8.5')).toBeUndefined();
    expect(assistantOf('coder')).toBeUndefined();
    expect(assistantOf('Firefox')).toBeUndefined();
  });

  test('counts once for an assistant with several versions, at its latest request', () => {
    const clients = seenClients([
      { client: 'my-agent/1', at: '2026-11-22T09:00:00.000Z' },
      { client: 'codex-mcp-client/2', at: '2026-11-21T09:00:00.000Z' },
      { client: 'codex-mcp-client/1', at: '2026-11-20T09:00:00.000Z' },
      { client: 'codex-mcp-client/2', at: '2026-11-19T09:00:00.000Z' },
    ]);
    expect([...lastSeen(clients)]).toEqual([['codex', '2026-11-21T09:00:00.000Z']]);
    expect(otherClients(clients)).toEqual(['my-agent/1']);
  });
});

test('sessions of one browser are one line, apart from the current one', () => {
  const connection = (id: string, kind: Connection['kind'], client: string, current = false) =>
    ({ id, kind, client, current }) as Connection;
  const lines = connectionLines([
    connection('1', 'page', 'Chrome on Linux', true),
    connection('2', 'page', 'Chrome on Linux'),
    connection('3', 'device', 'laptop'),
    connection('4', 'page', 'Firefox on Linux'),
    connection('5', 'page', 'Chrome on Linux'),
    connection('6', 'device', 'laptop'),
  ]);
  expect(lines.map((line) => line.map(({ id }) => id))).toEqual([['1'], ['2', '5'], ['3'], ['4'], ['6']]);
});

test('every assistant that has a name can be set up, once', () => {
  expect(ASSISTANTS.map(({ id }) => id).sort()).toEqual(Object.keys(ASSISTANT_NAMES).sort());
});
