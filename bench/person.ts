import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openMailbox } from '../test/helpers/mailbox.ts';

/**
 * Signs in as a person does: asks for a link, opens it from the mail, sees the page with its button, presses it.
 * Returns the key that the browser is handed.
 */
export async function signInByMail(url: string, mailDir: string, email: string): Promise<string> {
  const asked = await fetch(`${url}/v1/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  if (asked.status !== 202) throw new Error(`No link: ${asked.status} ${await asked.text()}`);
  const link = await openMailbox(mailDir).latestLink(email);
  const page = await fetch(link, { headers: { accept: 'text/html' } });
  const html = await page.text();
  const token = /<input type="hidden" name="token" value="([^"]+)">/.exec(html)?.[1];
  if (page.status !== 200 || token === undefined) throw new Error(`The link shows no button: ${page.status} ${html}`);
  const pressed = await fetch(`${url}/v1/auth/callback`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token }).toString(),
  });
  const apiKey = /#key=(svc_live_[0-9a-f]{32})$/.exec(pressed.headers.get('location') ?? '')?.[1];
  if (!apiKey) throw new Error(`The button gives no key: ${pressed.status} ${await pressed.text()}`);
  return apiKey;
}

/** `fetch` that waits as long as the daemon asks where the limit is reached, and tries again. */
export async function patientFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input, init);
    if (response.status !== 429) return response;
    await response.text();
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
  }
}

/** JSON from the API; throws where the answer is no success. */
export async function callApi<T>(
  url: string,
  apiKey: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const response = await patientFetch(url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The daemon's MCP door, waiting where the limit is reached. */
export async function connectMcp(url: string, apiKey: string): Promise<Client> {
  const client = new Client({ name: 'svc-bench', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), { requestInit, fetch: patientFetch }),
  );
  return client;
}
