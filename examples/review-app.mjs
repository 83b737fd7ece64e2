// Review inside the chat: what a chat that shows screens of tools (MCP Apps) asks svc for, and gets.
// npm install @modelcontextprotocol/client
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const address = new URL('/v1/mcp', process.env.SVC_URL ?? 'http://127.0.0.1:8787');
const requestInit = { headers: { authorization: `Bearer ${process.env.SVC_API_KEY}` } };
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const client = new Client({ name: 'chat', version: '1.0.0' }, { capabilities: { extensions } });
await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));

const { tools } = await client.listTools();
const { name, _meta } = tools.find((tool) => tool.name === 'suggestions_review');
const { content } = await client.callTool({ name, arguments: {} });
console.log(content[0].text); // All that the model reads.

const { contents } = await client.readResource({ uri: _meta.ui.resourceUri });
console.log(`${contents[0].uri} ${contents[0].mimeType}, ${contents[0].text.length} characters for the screen`);
await client.close();
