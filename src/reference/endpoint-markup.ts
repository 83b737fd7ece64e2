import { html, type Markup, NOTHING } from '../lib/html.ts';
import type { ClientCall } from './client-calls.ts';
import { jsonMarkup } from './code-markup.ts';
import type { Credential, Endpoint, Parameter, Response } from './document-reader.ts';
import type { ExampleRequest } from './examples.ts';
import { proseMarkup } from './prose.ts';
import { samplePanel } from './sample-panel.ts';
import { clientSample, curlSample, mcpSample } from './samples.ts';
import { fieldHead, type SchemaMarkup } from './schema-markup.ts';

const JSON_TYPE = 'application/json';
const CREDENTIALS: Record<Credential, Markup> = {
  key: NOTHING,
  none: html`<p class="note">Needs no key.</p>`,
  session: html`<p class="note">Needs a session instead of a key.</p>`,
};
const KINDS: Record<string, string> = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' };

/** Dependencies of rendering an operation. */
export interface EndpointContext {
  schemas: SchemaMarkup;
  exampleOf(endpoint: Endpoint): ExampleRequest;
  /** The call of the client library by route. */
  calls: ReadonlyMap<string, ClientCall>;
  /** Headers that every response carries. */
  commonHeaders: ReadonlySet<string>;
}

/** Renders an operation: what it takes and answers on one side, samples on the other. */
export function endpointMarkup(endpoint: Endpoint, context: EndpointContext): Markup {
  const { id, method, path, summary, description } = endpoint;
  const prose = description.split('\n').filter(Boolean);
  return html`
<section class="endpoint" id="${id}" aria-labelledby="${id}-title">
<header><h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
<p class="route">${methodMarkup(method)} <code>${breakable(path)}</code></p></header>
<div class="about">${prose.map((line) => html`<p>${proseMarkup(line)}</p>`)}${CREDENTIALS[endpoint.credential]}
${parametersMarkup(endpoint.parameters, context)}${bodyMarkup(endpoint, context)}${responsesMarkup(endpoint, context)}${failuresMarkup(endpoint)}</div>
<div class="samples">${requestSamples(endpoint, context)}${responseSamples(endpoint)}</div>
</section>`;
}

/** The method as a colored word. */
export function methodMarkup(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Allows line breaks before the slashes of a path. */
function breakable(path: string): Markup {
  return html`${path
    .split('/')
    .slice(1)
    .map((part) => html`<wbr>/${part}`)}`;
}

function parametersMarkup(parameters: readonly Parameter[], { schemas }: EndpointContext): Markup {
  const groups = Object.entries(KINDS).map(([where, title]) => {
    const rows = parameters.filter((one) => one.in === where);
    if (rows.length === 0) return NOTHING;
    return html`<h4>${title}</h4><ul class="fields">${rows.map(
      ({ name, schema = {}, required = false, description }) => {
        const shown = name === 'metadata' && where === 'query' ? 'metadata.KEY' : name;
        const about = description ? html`<p>${proseMarkup(description)}</p>` : NOTHING;
        return html`<li>${fieldHead(shown, schemas.typeText(schema), schemas.limits(schema), required)}${about}</li>`;
      },
    )}</ul>`;
  });
  return html`${groups}`;
}

function bodyMarkup({ body }: Endpoint, { schemas }: EndpointContext): Markup {
  if (!body) return NOTHING;
  const types = body.mediaTypes.filter((type) => type !== JSON_TYPE).length === 0 ? [] : body.mediaTypes;
  const notes = [...(body.required ? [] : ['Optional.']), ...types.map((type) => `\`${type}\``)];
  const note = notes.length === 0 ? NOTHING : html`<p class="note">${proseMarkup(notes.join(' '))}</p>`;
  return html`<h4>Request body</h4>${note}${schemas.fields(body.schema, 'request')}`;
}

function responsesMarkup({ answers }: Endpoint, { schemas, commonHeaders }: EndpointContext): Markup {
  const rows = Object.entries(answers).map(([status, answer], index, all) => {
    const { schema, mediaType, headers, description } = answer;
    const own = headers.filter((header) => !commonHeaders.has(header));
    const type = mediaType === JSON_TYPE && schema ? schemas.typeText(schema) : (mediaType ?? '');
    const isRepeated = all.slice(index + 1).some(([, other]) => sameBody(answer, other));
    const sent =
      own.length === 0
        ? NOTHING
        : html`<p class="note">Headers ${own.map((header) => html`<code>${header}</code> `)}</p>`;
    const fields = schema && !isRepeated ? schemas.fields(schema, 'response') : NOTHING;
    return html`<p class="status"><b>${status}</b> ${description} <span>${type}</span></p>${sent}${fields}`;
  });
  return html`<h4>Response</h4>${rows}`;
}

function sameBody(one: Response, other: Response): boolean {
  return one.schema !== undefined && JSON.stringify(one.schema) === JSON.stringify(other.schema);
}

function failuresMarkup({ failures }: Endpoint): Markup {
  const rows = Object.entries(failures).map(([status, text]) => html`<li><b>${status}</b> ${proseMarkup(text)}</li>`);
  const statuses = Object.keys(failures).join(' ');
  return html`<details class="failures"><summary>Errors <small>${statuses}</small></summary><ul>${rows}</ul><p><a href="#errors">About errors</a></p></details>`;
}

function requestSamples(endpoint: Endpoint, { calls, exampleOf }: EndpointContext): Markup {
  const request = exampleOf(endpoint);
  const call = calls.get(`${endpoint.method} ${endpoint.path}`);
  return samplePanel(endpoint.id, {
    curl: curlSample(endpoint, request),
    javascript: call && clientSample(endpoint, request, call),
    mcp: mcpSample(endpoint, request),
  });
}

function responseSamples({ answers }: Endpoint): Markup {
  const shown = Object.entries(answers).filter(
    ([, answer], index, all) =>
      answer.example !== undefined && !all.slice(index + 1).some(([, other]) => sameBody(answer, other)),
  );
  return html`${shown.map(([status, { example, description }]) => {
    const code = typeof example === 'string' ? html`<pre><code>${example}</code></pre>` : jsonMarkup(example);
    return html`<div class="panel"><p class="title">${status} ${description}</p>${code}</div>`;
  })}`;
}
