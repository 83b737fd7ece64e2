import type { ClientCall } from './client-calls.ts';
import type { Endpoint, Response } from './document-reader.ts';
import type { ExampleRequest } from './examples.ts';

const WIDTH = 72;

/**
 * Writes a JSON value as a JavaScript literal: on one line where it fits after `before` characters, else with one member
 * per line.
 */
function literal(value: unknown, before = 0, indent = ''): string {
  const line = flat(value);
  if (before + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => literal(item, inner.length, inner))
    : Object.entries(value).map(
        ([name, member]) => `${key(name)}: ${literal(member, inner.length + name.length, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
}

function flat(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${flat(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : flat(name);
}

/** The MCP tools by the id of the operation that does the same. */
const MCP_TOOLS: Readonly<Record<string, string>> = {
  'search.query': 'memory_search',
  'search.context': 'memory_context',
  'memories.create': 'memory_add',
  'memories.update': 'memory_update',
  'memories.delete': 'memory_delete',
  'memories.get': 'memory_get',
  'memories.list': 'memory_list',
  'searches.feedback': 'memory_feedback',
  'conversations.messages.append': 'conversation_append',
};

/** Arguments of tools whose name differs from the parameter of the operation. */
const TOOL_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  conversation_append: { id: 'conversationId' },
};

/** The address in the samples. The page replaces it with its own. */
export const SAMPLE_ORIGIN = 'http://127.0.0.1:8787';

/** Returns the request as a curl command for a POSIX shell. */
export function curlSample({ credential }: Endpoint, request: ExampleRequest): string {
  const { method, path, query, mediaType, body } = request;
  const url = `${SAMPLE_ORIGIN}${path}${queryText(query)}`;
  const data =
    mediaType === 'application/json'
      ? `-d ${quoted(JSON.stringify(body, null, 2))}`
      : mediaType === 'application/x-www-form-urlencoded'
        ? Object.entries(body as object)
            .map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
            .join(' ')
        : '--data-binary @export.ndjson';
  const parts = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(credential === 'key' ? ['-H "Authorization: Bearer $SVC_API_KEY"'] : []),
    ...(credential === 'session' ? ['-b "svc_session=$SESSION"'] : []),
    ...(credential === 'session' && method !== 'GET' ? ['-H "X-Svc-Csrf: $CSRF"'] : []),
    ...(mediaType === undefined ? [] : [`-H 'Content-Type: ${mediaType}'`, data]),
  ];
  return [`curl ${/[?&]/.test(url) ? quoted(url) : url}`, ...parts].join(' \\\n  ');
}

/** Returns the request as a call of the client library, whose instance is `svc`. */
export function clientSample({ answers }: Endpoint, request: ExampleRequest, { name, parameters }: ClientCall): string {
  const answer = Object.values(answers).find(({ mediaType }) => mediaType !== undefined);
  const [before, after] = usageOf(answer);
  const args: string[] = [];
  for (const parameter of parameters) {
    const used = `${before}svc.${name}(${args.map((arg) => `${arg}, `).join('')}`;
    const arg = argumentOf(parameter.replace('?', ''), request, used.length);
    if (arg !== undefined) args.push(arg);
  }
  const call = `${before}svc.${name}(${args.join(', ')})${after}`;
  return call.includes('createReadStream') ? `import { createReadStream } from 'node:fs';\n\n${call}` : call;
}

/** The code before and after a call, by what the call returns. */
function usageOf(answer: Response | undefined): [before: string, after: string] {
  if (answer === undefined) return ['await ', ';'];
  if (answer.mediaType === 'application/json') return [`const ${resultName(answer)} = await `, ';'];
  const item = answer.mediaType === 'text/event-stream' ? 'event' : 'part';
  return [`for await (const ${item} of `, `) {\n  console.log(${item});\n}`];
}

function argumentOf(parameter: string, request: ExampleRequest, before: number): string | undefined {
  const { pathValues, query, mediaType, body } = request;
  const inPath = pathValues.find(([name]) => name === parameter);
  if (inPath) return literal(inPath[1]);
  if (mediaType !== undefined && mediaType !== 'application/json') return "createReadStream('export.ndjson')";
  if (body === undefined) return query.length > 0 ? literal(Object.fromEntries(query), before) : undefined;
  // Some calls take the only list of the body instead of the body.
  const member = (body as Record<string, unknown>)[parameter];
  return literal(Array.isArray(member) ? member : body, before);
}

/** Returns the request as the parameters of `tools/call`, if a tool does the same. */
export function mcpSample({ id }: Endpoint, { pathValues, query, body }: ExampleRequest): string | undefined {
  const name = MCP_TOOLS[id];
  if (name === undefined) return undefined;
  const renamed = TOOL_ARGUMENTS[name] ?? {};
  const path = pathValues.map(([key, value]) => [renamed[key] ?? key, value]);
  const args = { ...Object.fromEntries([...path, ...query]), ...(body as object) };
  return JSON.stringify({ method: 'tools/call', params: { name, arguments: args } }, null, 2);
}

function queryText(query: ExampleRequest['query']): string {
  return query.length === 0 ? '' : `?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function resultName({ schema, example }: Response): string {
  const names = Object.keys((example ?? {}) as object).filter((name) => name === 'data' || name === 'nextCursor');
  if (names.includes('data')) return `{ ${names.join(', ')} }`;
  const name = String(schema?.$ref ?? 'Result')
    .replace(/^.*\//, '')
    .replace(/^(Added|Appended|Changed|Written)(?=[A-Z])/, '');
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
