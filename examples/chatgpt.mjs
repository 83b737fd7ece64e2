// What ChatGPT's connectors and deep research do with svc: search, then fetch what looks right.
// npm install @modelcontextprotocol/client
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const address = new URL('/v1/mcp?tools=chatgpt', process.env.SVC_URL ?? 'http://127.0.0.1:8787');
const requestInit = { headers: { authorization: `Bearer ${process.env.SVC_API_KEY}` } };
const client = new Client({ name: 'deep-research', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));

/** Both tools answer with one text, which is JSON. */
async function call(name, args) {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse(content[0].text);
}

const { results } = await call('search', { query: process.argv[2] ?? 'What does Ada drink?' });
for (const { id, title, url } of results) {
  const { text } = await call('fetch', { id });
  console.log(`${title}\n${url}\n${text}`);
}
await client.close();
