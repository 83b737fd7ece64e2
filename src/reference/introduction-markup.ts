import { ERROR_CODES, ERRORS } from '../contract/errors.ts';
import type { ApiDocument } from '../daemon/openapi-document.ts';
import { html, type Markup } from '../lib/html.ts';
import { jsonMarkup } from './code-markup.ts';
import { paragraphsMarkup, proseMarkup } from './prose.ts';
import { samplePanel } from './sample-panel.ts';
import { SAMPLE_ORIGIN } from './samples.ts';

/** The sections before the operations: id and title. */
export const INTRODUCTION: readonly [id: string, title: string][] = [
  ['start', 'First request'],
  ['conventions', 'Conventions'],
  ['headers', 'Headers'],
  ['errors', 'Errors'],
];

const CURL = `curl ${SAMPLE_ORIGIN}/v1/account \\
  -H "Authorization: Bearer $SVC_API_KEY"`;
const CLIENT = `// npm install @svc-memory/client
import { createClient } from '@svc-memory/client';

// The key is read from SVC_API_KEY.
const svc = createClient({ baseUrl: '${SAMPLE_ORIGIN}' });
const account = await svc.account.get();`;
const MCP = JSON.stringify(
  {
    mcpServers: {
      svc: { type: 'http', url: `${SAMPLE_ORIGIN}/v1/mcp`, headers: { Authorization: 'Bearer svc_live_…' } },
    },
  },
  null,
  2,
);

interface Header {
  name?: string;
  description: string;
  example?: unknown;
}

/** Renders what holds for every operation: how to start, conventions, headers and errors. */
export function introductionMarkup(document: ApiDocument, common: ReadonlySet<string>): Markup {
  const { version, description } = (document as unknown as { info: { version: string; description: string } }).info;
  const requestHeaders = Object.values(document.components.parameters ?? {}) as Header[];
  const responseHeaders = Object.entries(document.components.headers ?? {}) as [string, Header][];
  const [always, sometimes] = [true, false].map((isCommon) =>
    responseHeaders.filter(([name]) => common.has(name) === isCommon).map(([name, header]) => ({ name, ...header })),
  );
  const [rules = '', conventions = ''] = splitOnce(description.trim(), '\n\n');
  return html`<section class="introduction" aria-labelledby="introduction">
<header><h1 id="introduction">svc API</h1>
<p>${proseMarkup(rules)} Version ${version}. The same for machines: <a href="/v1/openapi.json">openapi.json</a>.</p></header>
<section aria-labelledby="start"><h2 id="start">First request</h2>
<p>Every operation shows its request for curl, for the client library and, where a tool does the same, for MCP. Get a key with <code>svc login</code>; <code>svc mcp-config</code> writes the configuration of an assistant.</p>
${samplePanel('start', { curl: CURL, javascript: CLIENT, mcp: MCP })}</section>
<section aria-labelledby="conventions"><h2 id="conventions">Conventions</h2>${paragraphsMarkup(conventions)}</section>
<section aria-labelledby="headers"><h2 id="headers">Headers</h2>
<h3>Requests</h3>${headerList(requestHeaders)}
<h3>Every response</h3>${headerList(always ?? [])}
<h3>Some responses</h3>${headerList(sometimes ?? [])}</section>
<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>An error is a problem document (RFC 9457). <code>code</code> is for programs, <code>detail</code> says what to do, <code>errors</code> names invalid fields.</p>
${errorExample(document)}
<ul class="codes">${ERROR_CODES.map((code) => html`<li><b>${String(ERRORS[code].status)}</b> <code>${code}</code> ${ERRORS[code].title}</li>`)}</ul></section>
</section>`;
}

function headerList(headers: readonly Header[]): Markup {
  return html`<ul class="fields">${headers.map(
    ({ name = '', description, example }) =>
      html`<li><code>${name}</code><p>${proseMarkup(description)}${example === undefined ? html`` : html` <small><code>${String(example)}</code></small>`}</p></li>`,
  )}</ul>`;
}

/** The example of the error that most callers meet first. */
function errorExample(document: ApiDocument): Markup {
  const { InvalidRequest } = document.components.responses as Record<string, { content: Content }>;
  const [media] = Object.values(InvalidRequest?.content ?? {});
  const [example] = Object.values(media?.examples ?? {});
  return html`<div class="panel"><p class="title">400 Bad Request</p>${jsonMarkup(example?.value)}</div>`;
}

type Content = Record<string, { examples: Record<string, { value: unknown }> }>;

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
