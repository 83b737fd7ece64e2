import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { EXTENSION_ID } from '@modelcontextprotocol/ext-apps/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Suggestion } from '../../../src/contract/suggestions.ts';
import { connectDevice } from '../../features/connections/device.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../../features/memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../../features/suggestions/suggestion-daemon.ts';

interface Screen {
  cards: { suggestion: Suggestion; memories: { id: string; content: string }[]; ticket?: string }[];
  canDecide: boolean;
  url: string;
}

const SHOWING = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };
let daemon: MemoryDaemon;
let caller: Suggesting;
const open: Client[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await newSuggesting(daemon);
});
afterAll(async () => {
  for (const one of open) await one.close();
  await daemon.close();
});

type Era = 'legacy' | 'modern';
const ERAS: Era[] = ['legacy', 'modern'];

async function connect(token: string, { capabilities = SHOWING, era = 'legacy' as Era, query = '' } = {}) {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  const info = { name: `host-${open.length}`, version: '1.0.0' };
  const client = new Client(info, { capabilities, versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}`, 'user-agent': info.name };
  const address = new URL(`${daemon.baseUrl}/v1/mcp${query}`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  open.push(client);
  return client;
}

const toolsOf = async (client: Client) => (await client.listTools()).tools;
const screenOf = (result: { _meta?: Record<string, unknown> }) => result._meta?.['svc/review'] as Screen;
const review = async (client: Client) => screenOf(await client.callTool({ name: 'suggestions_review', arguments: {} }));
const decide = (client: Client, input: Record<string, unknown>) =>
  client.callTool({ name: 'suggestions_decide', arguments: input });

async function suggestTwo() {
  const memories = await caller.addAll([{ content: 'I live in Linz' }, { content: 'I live in Graz' }]);
  const memoryIds = memories.map(({ id }) => id);
  const supersede = await caller.suggest({ kind: 'supersede', memoryIds, reason: 'The second is newer' });
  const added = await caller.suggest({ kind: 'add', content: 'Ada owns a basilisk', reason: 'She said so' });
  return { memoryIds, supersede, added };
}

describe.each(ERAS)('to a client of the %s protocol, the review screen', (era) => {
  test('is offered only if the client says that it shows screens', async () => {
    const showing = await toolsOf(await connect(caller.apiKey, { era }));
    const others = [
      await connect(caller.apiKey, { era, capabilities: {} as typeof SHOWING }),
      await connect(caller.apiKey, {
        era,
        capabilities: { extensions: { [EXTENSION_ID]: { mimeTypes: ['text/html'] } } },
      }),
      await connect(caller.apiKey, { era, query: '?tools=tidy' }),
      await connect(caller.apiKey, { era, query: '?tools=chatgpt' }),
    ];
    const review = showing.find(({ name }) => name === 'suggestions_review')!;
    const deciding = showing.find(({ name }) => name === 'suggestions_decide')!;
    expect([getToolUiResourceUri(review), getToolUiResourceUri(deciding)]).toEqual(Array(2).fill('ui://svc/review'));
    expect(isToolVisibilityAppOnly(deciding)).toBe(true);
    expect(isToolVisibilityAppOnly(review) || isToolVisibilityModelOnly(review)).toBe(false);
    for (const client of others) {
      const names = (await toolsOf(client)).map(({ name }) => name);
      expect(names).not.toContain('suggestions_review');
      expect(names).not.toContain('suggestions_decide');
      const called = decide(client, { id: 'sug_x', decision: 'accept', ticket: 'x' });
      await expect(called.then(({ isError }) => isError !== true)).rejects.toThrow(/not found|unknown/i);
    }
  });

  test('is one page of HTML that loads nothing', async () => {
    const client = await connect(caller.apiKey, { era });
    const { contents } = await client.readResource({ uri: 'ui://svc/review' });
    const [page] = contents as { mimeType: string; text: string; _meta: object }[];
    expect(page).toMatchObject({ mimeType: RESOURCE_MIME_TYPE, _meta: { ui: { csp: { connectDomains: [] } } } });
    expect(page!.text).toContain("default-src 'none'");
    expect(page!.text).not.toMatch(/\b(src|href)\s*=|@import|url\(|https?:|innerHTML|\bfetch\(/);
    expect(page!.text.length).toBeLessThan(10_000);
  });

  test('gets what the model does not, and decides by it', async () => {
    const { supersede, memoryIds } = await suggestTwo();
    const client = await connect(caller.apiKey, { era });
    const result = await client.callTool({ name: 'suggestions_review', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('2 open suggestions') }]);
    expect(JSON.stringify(result.content)).not.toMatch(/Linz|basilisk|ticket/);
    const screen = screenOf(result);
    expect(screen.canDecide).toBe(true);
    const card = screen.cards.find(({ suggestion }) => suggestion.id === supersede.id)!;
    expect(card.memories.map(({ content }) => content)).toEqual(['I live in Linz', 'I live in Graz']);
    const accepted = await decide(client, { id: supersede.id, decision: 'accept', ticket: card.ticket });
    expect(accepted.isError).not.toBe(true);
    expect((await caller.read(memoryIds[0]!)).body.supersededBy).toBe(memoryIds[1]);
    const [after] = screenOf(accepted).cards;
    expect(after!.suggestion).toMatchObject({ id: supersede.id, state: 'accepted' });
    const undone = await decide(client, { id: supersede.id, decision: 'undo', ticket: after!.ticket });
    expect(screenOf(undone).cards[0]!.suggestion.state).toBe('open');
    expect((await caller.read(memoryIds[0]!)).body.supersededBy).toBeNull();
  });
});

describe('a decision', () => {
  /** Tries to decide and returns whether the suggestion is still open. */
  async function isRefused(client: Client, id: string, ticket: string | undefined): Promise<boolean> {
    const answer = await decide(client, { id, decision: 'accept', ...(ticket !== undefined && { ticket }) });
    expect(answer.isError).toBe(true);
    return (await caller.suggestions()).some((one) => one.id === id);
  }

  test('takes the ticket of this suggestion, from a screen of this credential, for half an hour', async () => {
    const { supersede, added } = await suggestTwo();
    const client = await connect(caller.apiKey);
    const { cards } = await review(client);
    const ticketOf = (id: string) => cards.find(({ suggestion }) => suggestion.id === id)!.ticket!;
    const own = ticketOf(supersede.id);
    const [until, mac] = own.split('.');
    const forged = [
      undefined,
      'x',
      '',
      ticketOf(added.id),
      `${Number(until) + 1}.${mac}`,
      `${until}.${mac}x`,
      `${until}.`,
    ];
    for (const ticket of forged) expect(await isRefused(client, supersede.id, ticket)).toBe(true);
    daemon.clock.advance(31 * 60_000);
    expect(await isRefused(client, supersede.id, own)).toBe(true);
  });

  test('is refused once the suggestion is not what the screen showed', async () => {
    const { added } = await suggestTwo();
    const client = await connect(caller.apiKey);
    const { cards } = await review(client);
    const { ticket } = cards.find(({ suggestion }) => suggestion.id === added.id)!;
    await caller.decide(added.id, 'reject');
    daemon.clock.advance(1000);
    await caller.decide(added.id, 'undo');
    expect(await isRefused(client, added.id, ticket)).toBe(true);
  });

  test('takes the scope account, without which the screen shows the way to the web app', async () => {
    const { supersede } = await suggestTwo();
    const device = await connectDevice(daemon, caller.apiKey);
    daemon.clock.advance(61_000);
    const [own, client] = [await connect(caller.apiKey), await connect(device)];
    const { ticket } = (await review(own)).cards.find(({ suggestion }) => suggestion.id === supersede.id)!;
    const screen = await review(client);
    expect(screen).toMatchObject({ canDecide: false, url: expect.stringMatching(/\/dashboard\/review$/) });
    expect(screen.cards.map((card) => card.ticket)).toEqual([undefined, undefined]);
    expect((await toolsOf(client)).map(({ name }) => name)).not.toContain('suggestions_decide');
    expect(await isRefused(client, supersede.id, ticket)).toBe(true);
  });

  test('reaches nothing of another account', async () => {
    const { supersede } = await suggestTwo();
    const { ticket } = (await review(await connect(caller.apiKey))).cards.find(
      ({ suggestion }) => suggestion.id === supersede.id,
    )!;
    const stranger = await connect((await daemon.account()).apiKey);
    expect((await review(stranger)).cards).toEqual([]);
    const [foreign, missing] = [
      await decide(stranger, { id: supersede.id, decision: 'accept', ticket }),
      await decide(stranger, { id: `sug_${'0'.repeat(32)}`, decision: 'accept', ticket }),
    ];
    expect(foreign.content).toEqual(missing.content);
    expect(await isRefused(stranger, supersede.id, ticket)).toBe(true);
  });
});
