// Starts svc.mcpb as Claude Desktop does: unpacked, with the address and the key in place of what the manifest asks for.
//   npx @anthropic-ai/mcpb unpack svc.mcpb bundle
//   node mcp-bundle.mjs bundle 'What does Ada drink?'
// npm install @modelcontextprotocol/client
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const folder = resolve(process.argv[2] ?? 'bundle');
const query = process.argv[3] ?? 'What does Ada drink?';
const { server } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
const entered = { url: process.env.SVC_URL ?? 'http://127.0.0.1:8787', key: process.env.SVC_API_KEY };
const filled = (text) =>
  text.replaceAll(/\$\{__dirname\}/g, () => folder).replaceAll(/\$\{user_config\.(\w+)\}/g, (_, name) => entered[name]);

const { args, env } = server.mcp_config;
const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
const client = new Client({ name: 'desktop', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: args.map(filled), env: own }));
const { content } = await client.callTool({ name: 'memory_search', arguments: { query } });
console.log(content[0].text);
await client.close();
