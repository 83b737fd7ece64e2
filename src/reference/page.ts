import { TAGS } from '../contract/operations.ts';
import type { ApiDocument } from '../daemon/openapi-document.ts';
import { html, type Markup } from '../lib/html.ts';
import type { ClientCall } from './client-calls.ts';
import { type Endpoint, endpointsOf, referenceFollower } from './document-reader.ts';
import { endpointMarkup, methodMarkup } from './endpoint-markup.ts';
import { exampleRequests } from './examples.ts';
import { INTRODUCTION, introductionMarkup } from './introduction-markup.ts';
import { proseMarkup } from './prose.ts';
import { createSchemaMarkup } from './schema-markup.ts';

/** Renders the whole reference as one HTML page. `calls` are those of the client library by route. */
export function referencePage(document: ApiDocument, calls: ReadonlyMap<string, ClientCall>): string {
  const follow = referenceFollower(document);
  const endpoints = endpointsOf(document, follow);
  const responses = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const context = {
    schemas: createSchemaMarkup(follow),
    exampleOf: exampleRequests(endpoints),
    calls,
    commonHeaders: commonHeaders(endpoints),
  };
  if (responses.length !== endpoints.length) throw new Error('An operation of the document is not on the page.');
  const groups = Object.entries(TAGS).map(([name, about]): Group => {
    return { id: name.replaceAll(' ', '-'), name, about, endpoints: endpoints.filter(({ tag }) => tag === name) };
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API reference – svc</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="/dashboard/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${navigationMarkup(groups)}
<main id="main" tabindex="-1">
${introductionMarkup(document, context.commonHeaders)}
${groups.map(
  (
    group,
  ) => html`<section class="group" aria-labelledby="${group.id}"><header><h2 id="${group.id}">${titled(group.name)}</h2>
<p>${proseMarkup(group.about)}</p></header>${group.endpoints.map((endpoint) => endpointMarkup(endpoint, context))}</section>
`,
)}
</main>
</body>
</html>
`.text;
}

interface Group {
  id: string;
  name: string;
  about: string;
  endpoints: Endpoint[];
}

function navigationMarkup(groups: readonly Group[]): Markup {
  const introduction = INTRODUCTION.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`);
  const lists = groups.map(({ id, name, endpoints }) => {
    const links = endpoints.map(
      ({ id, method, summary }) => html`<li><a href="#${id}">${methodMarkup(method)} ${shortened(summary)}</a></li>`,
    );
    return html`<li><a class="heading" href="#${id}">${titled(name)}</a><ul>${links}</ul></li>`;
  });
  return html`<header class="bar">
<p class="brand"><a class="home" href="/dashboard"><img src="/dashboard/favicon.svg" alt="" width="26" height="26"> svc</a> <span>API reference</span></p>
<button type="button" id="menu" aria-expanded="false" aria-controls="contents">Menu</button>
</header>
<div class="contents" id="contents">
<search><input type="search" id="search-field" placeholder="Search" aria-label="Search the reference" aria-describedby="search-status" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></search>
<p class="search-status" id="search-status" role="status"></p>
<nav aria-label="Contents"><ul><li><a class="heading" href="#introduction">Introduction</a><ul>${introduction}</ul></li>${lists}</ul></nav>
</div>`;
}

/** Cuts off what a summary adds after a colon or `, and`. */
function shortened(summary: string): string {
  return summary.replace(/(: |, and ).*/, '');
}

function titled(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Headers of every answer. */
function commonHeaders(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  const answers = endpoints.flatMap((endpoint) => Object.values(endpoint.answers));
  return new Set(answers[0]?.headers.filter((name) => answers.every(({ headers }) => headers.includes(name))));
}
