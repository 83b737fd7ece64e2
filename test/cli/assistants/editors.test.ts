import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { DesiredEntry } from '../../../src/cli/assistants/assistant.ts';
import { findAssistant } from '../../../src/cli/assistants/assistant-table.ts';
import { removeEntry, writeEntry } from '../../../src/cli/assistants/write-entry.ts';

const KEY = `svc_live_${'0'.repeat(28)}beef`;
const STDIO: DesiredEntry = { transport: 'stdio', command: 'svc', args: ['mcp'], env: {} };
const HTTP: DesiredEntry = { transport: 'http', url: 'http://localhost:8787/v1/mcp', key: { literal: KEY } };

const assistant = (id: string) => findAssistant(id)!;
const write = (id: string, text: string, entry: DesiredEntry = STDIO) => writeEntry(assistant(id), 'user', text, entry);
const remove = (id: string, text: string) => removeEntry(assistant(id), text);

describe('JSON with comments', () => {
  const ZED = [
    '// Zed settings',
    '{',
    '\t"theme": "One Dark", // my favorite',
    '\t"context_servers": {',
    '\t\t/* the other one */',
    '\t\t"files": { "command": "npx", "args": ["-y", "files",], }, // local',
    '\t\t// nothing below',
    '\t},',
    '\t"naïve": "日本 🧠", ',
    '}',
  ].join('\r\n');

  test('a new entry is last, follows the layout of its neighbors, and is removed without a trace', () => {
    const added = write('zed', ZED);
    const own = ['"svc": {', '\t"command": "svc",', '\t"args": [', '\t\t"mcp"', '\t]', '},'];
    const lines = own.map((line) => `\r\n\t\t${line}`).join('');
    expect(added).toBe(ZED.replace(' // local', ` // local${lines}`));
    expect(remove('zed', added)).toBe(ZED);
  });

  test('changing an entry preserves what its owner added to it', () => {
    const text =
      '{"mcpServers": {\n  "svc": {\n    // mine\n    "command": "old", "args": ["mcp"], // stays\n    "autoApprove": ["memory_search"]\n  }\n}}\n';
    expect(write('cursor', text)).toBe(text.replace('"old"', '"svc"'));
    const http = write('cursor', text, HTTP);
    expect(http).toContain('// mine');
    expect(http).toContain('"autoApprove": ["memory_search"]');
    expect(http).not.toContain('command');
    expect(parse(http).mcpServers.svc).toEqual({
      autoApprove: ['memory_search'],
      url: 'http://localhost:8787/v1/mcp',
      headers: { Authorization: `Bearer ${KEY}` },
    });
  });

  test('a disabled entry remains disabled', () => {
    const text = write('opencode', '').replace('"enabled": true', '"enabled": false');
    expect(write('opencode', text, HTTP)).toContain('"enabled": false');
  });

  describe('opencode', () => {
    const VERSION_2 =
      '{\n  "mcp": {\n    "servers": {\n      "a": { "type": "local", "command": ["a"] }\n    }\n  }\n}\n';

    test('an entry goes to mcp.servers, without enabled, in a file with the server list of version 2', () => {
      const added = write('opencode', VERSION_2);
      expect(JSON.parse(added).mcp.servers.svc).toEqual({ type: 'local', command: ['svc', 'mcp'] });
      expect(JSON.parse(write('opencode', added, HTTP)).mcp.servers.svc).toEqual({
        type: 'remote',
        url: 'http://localhost:8787/v1/mcp',
        headers: { Authorization: `Bearer ${KEY}` },
        oauth: false,
      });
      expect(remove('opencode', added)).toBe(VERSION_2);
    });

    test('an entry that was written for version 1 is changed in place', () => {
      const text = VERSION_2.replace('"mcp": {', '"mcp": {\n    "svc": { "type": "local", "command": ["old"] },');
      const { mcp } = JSON.parse(write('opencode', text));
      expect(mcp.svc.command).toEqual(['svc', 'mcp']);
      expect(mcp.servers).toEqual({ a: { type: 'local', command: ['a'] } });
    });

    test('a server of version 1 may be called servers', () => {
      const { mcp } = JSON.parse(write('opencode', '{"mcp": {"servers": {"type": "local", "command": ["a"]}}}'));
      expect(mcp).toMatchObject({ servers: { command: ['a'] }, svc: { enabled: true } });
    });
  });

  test('an entry of Claude Code shows its tools from the start unless its owner has switched that off', () => {
    const added = write('claude-code', '{"mcpServers": {"svc": {"command": "old"}}}');
    expect(JSON.parse(added).mcpServers.svc).toMatchObject({ command: 'svc', alwaysLoad: true });
    expect(write('claude-code', added.replace('"alwaysLoad": true', '"alwaysLoad": false'), HTTP)).toMatch(
      /"alwaysLoad": ?false/,
    );
  });

  test('the field transport is removed when an entry changes to the bridge', () => {
    for (const id of ['kimi', 'openclaw']) expect(write(id, write(id, '', HTTP))).toBe(write(id, ''));
  });

  test('a header with different capitalization is not duplicated', () => {
    const text =
      '{"mcpServers":{"svc":{"url":"http://localhost:8787/v1/mcp","headers":{"authorization":"Bearer old"}}}}';
    expect(JSON.parse(write('cursor', text, HTTP)).mcpServers.svc.headers).toEqual({ Authorization: `Bearer ${KEY}` });
  });

  test('a document on one line stays on one line', () => {
    expect(write('cursor', '{"mcpServers":{}}')).toBe('{"mcpServers":{"svc": {"command":"svc","args":["mcp"]}}}');
    expect(remove('cursor', write('cursor', '{"mcpServers":{"a":{}}}'))).toBe('{"mcpServers":{"a":{}}}');
  });

  test.each([
    ['{\n  "mcpServers": {,}\n}', /^line 2, column 18: not valid JSON/],
    ['{"mcpServers": [', /^line 1, column 17: not valid JSON/],
    ['{"mcpServers": []}', /^line 1, column 16: expected an object for svc, got array/],
    ['[]', /^line 1, column 1: expected an object/],
    ['{"mcpServers": {},\n "mcpServers": {}}', /^line 2, column 2: duplicate key "mcpServers"/],
  ])('%j is rejected with line and column', (text, reason) => {
    expect(() => write('cursor', text)).toThrow(reason);
  });

  test('comments are rejected for an assistant that cannot read them', () => {
    const text = '{\n  // a comment\n  "mcpServers": {}\n}';
    expect(() => write('claude-code', text)).toThrow(/^line 2, column 3: not valid JSON/);
    expect(write('cursor', text)).toContain('// a comment');
  });

  test('a VS Code entry without the key adds an input variable, which is removed with the entry', () => {
    const text =
      '{\n  "inputs": [\n    { "id": "other", "type": "promptString" } // theirs\n  ],\n  "servers": {\n    "a": {}\n  }\n}\n';
    const added = write('vscode', text, {
      ...HTTP,
      transport: 'http',
      url: 'http://h/v1/mcp',
      key: { variable: 'SVC_API_KEY' },
    });
    const { inputs, servers } = parse(added);
    expect(inputs[1]).toMatchObject({ id: 'svc-api-key', type: 'promptString', password: true });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code syntax
    expect(servers.svc.headers.Authorization).toBe('Bearer ${input:svc-api-key}');
    expect(write('vscode', added, STDIO)).not.toContain('svc-api-key');
    expect(remove('vscode', added)).toBe(text);
  });
});

describe('TOML', () => {
  const CODEX = [
    '# my settings',
    'model = "o9"   # the big one',
    '',
    '[mcp_servers.docs]  # the other one',
    "  command = 'npx'",
    '  args = [',
    '    "-y", # yes ]',
    '    "docs",',
    '  ]',
    '[mcp_servers.docs.env]',
    'TOKEN = """',
    '[mcp_servers.svc]',
    '"""',
    '',
    '[profiles."日本"]',
    'model = "o9-mini"',
  ].join('\r\n');

  test('a new table is last and is removed without a trace, with or without a final line break', () => {
    for (const text of [CODEX, `${CODEX}\r\n`, `${CODEX}\r\n\r\n`]) {
      const added = write('codex', text);
      expect(added.startsWith(text)).toBe(true);
      expect(added.trimEnd().endsWith('\r\n\r\n[mcp_servers.svc]\r\ncommand = "svc"\r\nargs = ["mcp"]')).toBe(true);
      expect(remove('codex', added)).toBe(text);
    }
  });

  test('only the lines of the entry change, wherever it is and whatever else it contains', () => {
    const text =
      '[mcp_servers.svc] # mine\ncommand = "old" # why\nargs = [ "mcp" ]\nstartup_timeout_sec = 30\n\n[mcp_servers.svc.env]\nA = "1"\n\n[z]\n';
    expect(write('codex', text)).toBe(text.replace('"old"', '"svc"'));
    const http = write('codex', text, HTTP);
    expect(http).toContain('startup_timeout_sec = 30');
    expect(http).not.toContain('[mcp_servers.svc.env]');
    expect(http.endsWith('\n[z]\n')).toBe(true);
    expect(remove('codex', http)).toBe('\n[z]\n');
  });

  test('an inline or dotted entry in the parent table is changed in place', () => {
    const text =
      '[mcp_servers]\na = { command = "x" } # one\nsvc = { command = "old", args = ["mcp"], enabled = false }\n';
    expect(write('codex', text)).toBe(text.replace('"old"', '"svc"'));
    expect(remove('codex', text)).toBe('[mcp_servers]\na = { command = "x" } # one\n');
    expect(write('codex', '[mcp_servers]\nsvc.command = "old"\nb.command = "y"\n')).toContain('b.command = "y"\n');
  });

  test('bearer_token_env_var replaces a literal key', () => {
    const literal = write('codex', '', HTTP);
    expect(literal).toContain(`http_headers = { Authorization = "Bearer ${KEY}" }`);
    const named = write('codex', literal, {
      ...HTTP,
      transport: 'http',
      url: 'http://h',
      key: { variable: 'SVC_API_KEY' },
    });
    expect(named).toBe('[mcp_servers.svc]\nurl = "http://h"\nbearer_token_env_var = "SVC_API_KEY"\n');
  });

  test.each([
    ['a = 1\nb = \n', /^line 2, column \d+: not valid TOML/],
    ['[a]\n[a]\n', /^line 2, column \d+: not valid TOML/],
    ['mcp_servers = { a = {} }\n', /^mcp_servers is an inline table/],
    ['mcp_servers = 1\n', /./],
  ])('%j is rejected', (text, reason) => {
    expect(() => write('codex', text)).toThrow(reason);
  });
});

describe('YAML', () => {
  const GOOSE = [
    '# goose',
    'GOOSE_MODEL: big   # the big one',
    'extensions:',
    '    # the other one',
    '    "developer":',
    '        enabled: true',
    '        text: |',
    '          # no comment',
    '',
    '    # below',
    '',
    'after: [1, {a: "日本 🧠"}]',
  ].join('\r\n');

  test('a new entry follows its neighbors with their indentation and is removed without a trace', () => {
    const added = write('goose', GOOSE);
    expect(added).toContain('          # no comment\r\n    svc:\r\n      type: stdio\r\n');
    expect(added).toContain('      cmd: svc\r\n      args:\r\n        - mcp\r\n\r\n    # below\r\n');
    expect(remove('goose', added)).toBe(GOOSE);
  });

  test('a list item is found by its name and changed in place', () => {
    const text =
      'mcpServers:\n- name: svc # mine\n  command: old # why\n  args: [mcp]\n  type: stdio\n  cwd: /x\n# next\n- name: b\n';
    expect(write('continue', text)).toBe(text.replace('old', 'svc'));
    const http = write('continue', text, HTTP);
    expect(http).toContain(`  requestOptions:\n    headers:\n      Authorization: Bearer ${KEY}\n`);
    expect(http).not.toContain('cwd');
    expect(remove('continue', http)).toBe('mcpServers:\n# next\n- name: b\n');
  });

  test.each(['extensions:\n', 'extensions: {}\n', 'extensions: ~ # none\n', 'a: 1\nextensions: {} # none\nb: 2'])(
    'an empty value %j is filled',
    (text) => {
      expect(write('goose', text)).toMatch(/extensions: *(# none)?\n {2}svc:\n {4}type: stdio\n/);
      expect(remove('goose', write('goose', text))).toMatch(/extensions: \{\}/);
    },
  );

  test.each([
    ['a: 1\n b: 2\n', /^line 1, column 4: not valid YAML/],
    ['a: 1\na: 2\n', /^line 2, column 1: not valid YAML \(map keys must be unique\)/],
    ['a: 1\n---\nb: 2\n', /^line 2, column \d+: expected a single document/],
    ['extensions: []\n', /expected a map for svc/],
    ['base: &x {}\nextensions: *x\n', /expected a map for svc/],
    ['- a\n', /expected a map at the top level/],
  ])('%j is rejected', (text, reason) => {
    expect(() => write('goose', text)).toThrow(reason);
  });
});
