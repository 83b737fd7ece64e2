import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { browserTests } from './browser.ts';

const browser = browserTests();

test('what ChatGPT cites opens the item in the web app', { timeout: 60_000 }, async () => {
  const { page, apiKey, consoleErrors } = await browser.openApp('');
  const post = async (path: string, body: object) =>
    (await browser.call(apiKey, path, body)).json() as Promise<{ id: string }>;
  await post('/v1/memories', { content: 'Ada counts herons at the river' });
  const { id: conversationId } = await post('/v1/conversations', { title: 'Birds' });
  const messages = [{ role: 'user', content: 'Three herons stood in the river' }];
  await post(`/v1/conversations/${conversationId}/messages`, { messages });
  const span = { startedAt: '2026-05-01T09:00:00Z', endedAt: '2026-05-01T10:00:00Z' };
  await post('/v1/episodes', { title: 'Herons & egrets of June', ...span });

  const address = new URL(`${browser.daemon.baseUrl}/v1/mcp?tools=chatgpt`);
  const client = new Client({ name: 'openai-mcp', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  const { content } = await client.callTool({ name: 'search', arguments: { query: 'herons' } });
  await client.close();
  const { results } = JSON.parse((content[0] as { text: string }).text) as {
    results: { title: string; url: string }[];
  };
  expect(results).toHaveLength(3);
  for (const { title, url } of results) {
    await page.goto(url);
    await page
      .locator('main')
      .getByText(title.replace(/^user: /, ''))
      .first()
      .waitFor();
  }
  expect(consoleErrors).toEqual([]);
});
