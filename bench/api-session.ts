import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from '../src/client/client.ts';
import { openMailbox } from '../test/helpers/mailbox.ts';

/**
 * Signs in like a person: requests a link, opens it from the mail and submits the form on the page. Returns the API key
 * that the browser would receive.
 */
export async function signInByMail(url: string, mailDir: string, email: string): Promise<string> {
  const requested = await fetch(`${url}/v1/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  if (requested.status !== 202) throw new Error(`Link request failed: ${requested.status} ${await requested.text()}`);
  const link = await openMailbox(mailDir).latestLink(email);
  const page = await fetch(link, { headers: { accept: 'text/html' } });
  const html = await page.text();
  const token = /<input type="hidden" name="token" value="([^"]+)">/.exec(html)?.[1];
  if (page.status !== 200 || token === undefined)
    throw new Error(`The sign-in page has no form: ${page.status} ${html}`);
  const submitted = await fetch(`${url}/v1/auth/callback`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token }).toString(),
  });
  const apiKey = /#key=(svc_live_[0-9a-f]{32})$/.exec(submitted.headers.get('location') ?? '')?.[1];
  if (!apiKey) throw new Error(`Submitting the form returned no key: ${submitted.status} ${await submitted.text()}`);
  return apiKey;
}

/** `fetch` that honors `Retry-After` on 429 and retries. */
export async function fetchWithBackoff(input: string | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input, init);
    if (response.status !== 429) return response;
    await response.text();
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
  }
}

/** Returns JSON from the API. Throws unless the response is a success. */
export async function callApi<T>(
  url: string,
  apiKey: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const response = await fetchWithBackoff(url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Reads all pages of a list; `path` may have a query. */
export async function listAll<T>(call: <Answer>(path: string) => Promise<Answer>, path: string): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor !== null && { cursor }) });
    const page: Page<T> = await call(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

/** Connects to the daemon's MCP endpoint; waits when the rate limit is reached. */
export async function connectMcp(url: string, apiKey: string): Promise<Client> {
  const client = new Client({ name: 'svc-bench', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp?structured=true`), {
      requestInit,
      fetch: fetchWithBackoff,
    }),
  );
  return client;
}
