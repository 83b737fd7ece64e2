import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Assistant, type DesiredEntry, renderEntry } from '../../src/cli/assistants/assistant.ts';
import { ASSISTANTS, findAssistant } from '../../src/cli/assistants/assistant-table.ts';
import { addEntry } from '../../src/cli/assistants/write-entry.ts';
import { installLink, linkedEntry } from '../../src/dashboard/views/connect/install-links.ts';
import { entryFor } from '../../src/dashboard/views/connect/setup.ts';

const ORIGIN = 'http://127.0.0.1:7777';
const HTTPS = 'https://memory.example.com';
const KEY = `svc_live_${'0a'.repeat(16)}`;
const LINKED = ['cursor', 'vscode', 'lm-studio', 'kiro', 'goose'];

type Json = Record<string, unknown>;

/** Reads links as the assistants do. */
const READERS: Record<string, (link: URL) => Json> = {
  'cursor://anysphere.cursor-deeplink/mcp/install': named((config) => JSON.parse(atob(config))),
  'lmstudio://add_mcp': named((config) => JSON.parse(atob(config))),
  'kiro://kiro.mcp/add': named((config) => JSON.parse(config)),
  'vscode:mcp/install': ({ search }) => {
    const { name, inputs, ...server } = JSON.parse(decodeURIComponent(search.slice(1)));
    return { servers: { [name]: server }, ...(inputs && { inputs }) };
  },
  'goose://extension': ({ searchParams }) => {
    const given = searchParams.getAll('header').map((header) => {
      const [name, ...value] = header.split('=');
      return [name, decodeURIComponent(value.join('='))];
    });
    const name = searchParams.get('name')!;
    const server = {
      ...{ type: searchParams.get('type'), enabled: true, name, description: searchParams.get('description') },
      ...{ timeout: Number(searchParams.get('timeout')), uri: searchParams.get('url') },
      ...(given.length > 0 && { headers: Object.fromEntries(given) }),
    };
    return { extensions: { [name]: server } };
  },
};

function named(read: (config: string) => Json) {
  return ({ searchParams }: URL): Json => ({
    mcpServers: { [searchParams.get('name')!]: read(searchParams.get('config')!) },
  });
}

function read(link: string): Json {
  const url = new URL(link);
  const [address] = link.split('?');
  return READERS[address!]!(url);
}

/** What `svc mcp-config` writes to a new file. */
function written(assistant: Assistant, entry: DesiredEntry): Json {
  const text = addEntry(assistant, 'user', '', renderEntry(assistant, entry)!);
  return assistant.format === 'yaml' ? parseYaml(text) : JSON.parse(text);
}

const find = (id: string) => findAssistant(id)!;

describe.each(LINKED)('the link for %s', (id) => {
  const assistant = find(id);

  test.each([
    ['the local command', 'stdio', { origin: ORIGIN }],
    ['a key of this page', 'http', { origin: ORIGIN, key: KEY }],
    ['a key that the page does not know', 'http', { origin: ORIGIN }],
    ['OAuth', 'http', { origin: HTTPS, key: KEY, hasOAuth: true }],
  ] as const)('adds with %s what svc mcp-config writes', (_, transport, facts) => {
    const entry = linkedEntry(assistant, transport, facts);
    const link = entry && installLink(assistant, entry);
    if (entry && link) expect(read(link)).toEqual(written(assistant, entry));
    expect(link === undefined).toBe(
      (id === 'goose' && transport === 'stdio') || (entry === undefined && !assistant.keyReference),
    );
  });

  test('holds no key but one that was just issued, and not even that where another way works', () => {
    const linkOf = (transport: 'stdio' | 'http', facts: Parameters<typeof linkedEntry>[2]) => {
      const entry = linkedEntry(assistant, transport, facts);
      return (entry && installLink(assistant, entry)) ?? '';
    };
    const holdsKey = (link: string) => link !== '' && JSON.stringify(read(link)).includes(KEY);
    expect(holdsKey(linkOf('stdio', { origin: ORIGIN, key: KEY }))).toBe(false);
    expect(holdsKey(linkOf('http', { origin: HTTPS, key: KEY, hasOAuth: true }))).toBe(assistant.oauth !== true);
    expect(holdsKey(linkOf('http', { origin: ORIGIN, key: KEY }))).toBe(true);
  });

  test('is a link of one line in characters that any page can hold', () => {
    for (const entry of [
      linkedEntry(assistant, 'http', { origin: ORIGIN, key: KEY })!,
      entryFor('stdio', ORIGIN, ''),
    ]) {
      expect(installLink(assistant, entry) ?? 'goose:').toMatch(/^[a-z]+:[\w\-.~!*'()%/?&=]+$|^goose:$/);
    }
  });
});

test('VS Code prompts for a key that the page does not know, others read it from their variable', () => {
  const linkOf = (id: string) => installLink(find(id), linkedEntry(find(id), 'http', { origin: ORIGIN })!)!;
  expect(read(linkOf('vscode'))).toMatchObject({ inputs: [{ password: true, type: 'promptString' }] });
  expect(JSON.stringify(read(linkOf('cursor')))).toContain(`Bearer \${env:SVC_API_KEY}`);
});

test('other assistants have no link', () => {
  for (const assistant of ASSISTANTS) {
    const link = installLink(assistant, entryFor('stdio', ORIGIN, ''));
    expect([assistant.id, link !== undefined]).toEqual([
      assistant.id,
      LINKED.includes(assistant.id) && assistant.id !== 'goose',
    ]);
  }
});

test('the links in the documentation are those of the page, without a key', async () => {
  const text = await readFile(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
  const links = [...text.matchAll(/^(?:cursor|vscode|lmstudio|kiro|goose):\S+$/gm)].map(([link]) => link);
  const bridge = ['cursor', 'vscode', 'lm-studio', 'kiro'].map((id) =>
    installLink(find(id), entryFor('stdio', '', '')),
  );
  const goose = installLink(find('goose'), { transport: 'oauth', url: `${HTTPS}/v1/mcp` });
  expect(links).toEqual([...bridge, goose]);
});
