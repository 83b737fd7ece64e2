import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { openBrowser, ticketOf } from '../features/connections/browser.ts';
import { askForDevice } from '../features/connections/device.ts';
import { KEY } from '../features/extraction/extraction-daemon.ts';
import { makeTenant, type Tenant } from '../features/limits/tenants.ts';
import type { TestDaemon } from './daemon.ts';
import type { WireAnswer } from './openapi-answers.ts';
import type { PlannedRequest } from './openapi-requests.ts';
import { codeIn, freshAddress, pressButton, receiveLink, startTerminal, tokenIn } from './sign-in.ts';

/** How many values of each kind a tenant remembers. */
const REMEMBERED = 100;
const EARLIER = '2026-05-01T08:00:00.000Z';

/** A request with its markers filled in. */
export type Request = Pick<PlannedRequest, 'method' | 'path' | 'headers' | 'body'>;

export type Session = Awaited<ReturnType<typeof openSession>>;

/** Servers that a tenant names to the daemon. */
export interface Addresses {
  providerUrl: string;
  receiverUrl: string;
}

/** One tenant that remembers what it was answered. A tenant that ended is replaced. */
export async function openSession(daemon: TestDaemon, { providerUrl, receiverUrl }: Addresses) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const remembered = new Map<string, string[]>();
  /** The conversation of each message, and the results of each search. */
  const conversations = new Map<string, string>();
  /** The store of each memory and version in one. */
  const stores = new Map<string, string>();
  /** The webhook of each delivery. */
  const webhooks = new Map<string, string>();
  /** The space of each invitation. */
  const members = new Map<string, string>();
  const resultsOf = new Map<string, string[]>();
  let tenant: Tenant | undefined;
  let email = '';
  let signIn = {
    ...{ ticket: 'unknown', token: 'unknown', code: 'WDJB-MJHT', verifier: 'x'.repeat(43) },
    ...{ deviceCode: 'unknown', userCode: 'WDJB-MJHT' },
  };

  async function renew(): Promise<void> {
    email = `${randomUUID()}@example.com`;
    tenant = await makeTenant(daemon, email, 'Enterprise');
    remembered.clear();
    await begin('PUT', '/v1/provider-keys/openai', { key: KEY, baseUrl: providerUrl });
    const added = await begin('POST', '/v1/webhooks', { url: receiverUrl, events: ['job.changed', 'memory.created'] });
    await begin('POST', '/v1/memories/batch', { memories: ['tea', 'coffee', 'milk'].map((content) => ({ content })) });
    await beginTopics(tenant);
    await beginSpaces();
    const suggestions = ['sugar', 'salt'].map((content) => ({ kind: 'add', content, reason: 'It was said' }));
    await begin('POST', '/v1/suggestions', { suggestions });
    await begin('POST', '/v1/episodes', { title: 'Tea', startedAt: EARLIER, endedAt: EARLIER });
    const { id } = JSON.parse((await begin('POST', '/v1/conversations', { title: 'Tea' })).text);
    await begin('POST', `/v1/conversations/${id}/messages`, { messages: [{ role: 'user', content: 'I drink tea' }] });
    await beginStore();
    await beginDeliveries(JSON.parse(added.text).id);
  }

  /** Creates a memory store with memories that have several versions. */
  async function beginStore(): Promise<void> {
    const { id } = JSON.parse((await begin('POST', '/v1/memory_stores', { name: 'Notes' })).text);
    const files = `/v1/memory_stores/${id}/memories`;
    const { id: file } = JSON.parse((await begin('POST', files, { path: '/first.md', content: 'tea' })).text);
    for (const content of ['milk', 'coffee', 'water']) await begin('POST', `${files}/${file}`, { content });
    await begin('GET', `/v1/memory_stores/${id}/memory_versions`);
  }

  /** Sends what was changed to the webhook. */
  async function beginDeliveries(webhook: string): Promise<void> {
    const path = `/v1/webhooks/${webhook}/deliveries`;
    const areSent = async () => (await begin('GET', `${path}?state=delivered`)).text.includes('whd_');
    for (let tries = 0; tries < 50 && !(await areSent()); tries += 1) await setTimeout(100);
    learnParents(path, await begin('GET', path));
  }

  /** Makes a space with an invitation, and is in one that it can leave. */
  async function beginSpaces(): Promise<void> {
    const { id } = JSON.parse((await begin('POST', '/v1/spaces', { name: 'house' })).text);
    const invited = { email: 'guest@example.com', role: 'reader' };
    const member = await begin('POST', `/v1/spaces/${id}/members`, invited);
    members.set(JSON.parse(member.text).id, id);
    const host = await makeTenant(daemon, `${randomUUID()}@example.com`, 'Enterprise');
    for (const name of ['chess', 'choir', 'garden']) await inviteFrom(host, name);
    await begin('GET', '/v1/spaces');
  }

  /** Invites the tenant to another's space, which it can join and leave. */
  async function inviteFrom({ apiKey }: Tenant, name: string): Promise<void> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const post = (path: string, body: object) =>
      send(daemon.baseUrl, agent, { method: 'POST', path, headers, body: JSON.stringify(body) });
    const { id } = JSON.parse((await post('/v1/spaces', { name })).text);
    await post(`/v1/spaces/${id}/members`, { email, role: 'owner' });
  }

  /** Stores memories about two people, and has them read at once for what they are about. */
  async function beginTopics({ tenantId }: Tenant): Promise<void> {
    const said = ['Ada Lovelace plays chess', 'Ada rows', 'Ada swims', 'Linus Berg cooks', 'Linus sings', 'Linus runs'];
    const added = await begin('POST', '/v1/memories/batch', { memories: said.map((content) => ({ content })) });
    const { data } = JSON.parse(added.text) as { data: { id: string }[] };
    await daemon.topics.read(
      tenantId,
      data.map(({ id }) => id),
    );
    await begin('GET', '/v1/topics');
  }

  /** Sends a request so that there is something to name, and remembers the answer. */
  async function begin(method: string, path: string, body?: object): Promise<WireAnswer> {
    const headers = { authorization: `Bearer ${tenant?.apiKey}`, 'content-type': 'application/json' };
    const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await send(daemon.baseUrl, agent, request);
    learn(answer);
    return answer;
  }

  function learnParents(path: string, { text }: WireAnswer): void {
    const space = /\/(ten_\w+)\/members/.exec(path)?.[1];
    if (space) for (const [id] of text.matchAll(/\bmbr_[0-9a-f]{32}\b/g)) members.set(id, space);
    const webhook = /\/(whk_\w+)\/deliveries(?:\?|$)/.exec(path)?.[1];
    if (webhook) for (const [id] of text.matchAll(/\bwhd_[0-9a-f]{32}\b/g)) webhooks.set(id, webhook);
  }

  /** Remembers ids, cursors and tags of an answer. */
  function learn({ headers, text }: WireAnswer): void {
    const remember = (kind: string, value: string) => {
      remembered.set(kind, [...(remembered.get(kind) ?? []), value].slice(-REMEMBERED));
    };
    const ids = [...text.matchAll(/\b(memstore|mem|conv|msg|ep|srch|job|con|sug|top|whk|whd|ten|mbr)_[0-9a-f]{32}\b/g)];
    for (const [id, kind] of ids) remember(kind!, id);
    for (const [id] of text.matchAll(/\bmemver_[0-9a-f]{32}_\d+/g)) remember('memver', id);
    for (const [item, store] of text.matchAll(/\{"id":[^{}]*"memory_store_id":"(memstore_\w+)"[^{}]*/g)) {
      for (const [id] of item.matchAll(/\b(mem|memver)_\w+/g)) stores.set(id, store!);
    }
    for (const [, page] of text.matchAll(/"next_page":"([^"]+)"/g)) remember('page', page!);
    for (const [, cursor] of text.matchAll(/"nextCursor":"([^"]+)"/g)) remember('cursor', cursor!);
    for (const [, id, conversation] of text.matchAll(/"id":"(msg_\w+)","conversationId":"(conv_\w+)"/g)) {
      conversations.set(id!, conversation!);
    }
    const [search, ...results] = ids.map(([id]) => id);
    if (search?.startsWith('srch_')) resultsOf.set(search, results);
    if (headers.etag) remember('etag', headers.etag);
  }

  const memoriesInStores = () => [...stores.keys()].filter((id) => id.startsWith('mem_')).slice(-REMEMBERED);

  function fill(text: string): string {
    const isOfStore = text.startsWith('/v1/memory_stores/');
    return text.replace(/\{\{(\w+) (\d+)\}\}/g, (_, kind: string, choice: string) => {
      if (kind === 'provider') return providerUrl;
      if (kind in signIn) return signIn[kind as keyof typeof signIn];
      // Most memories are in no store.
      const known = isOfStore && kind === 'mem' ? memoriesInStores() : (remembered.get(kind) ?? []);
      return known[Number(choice) % known.length] ?? `${kind}_${'0'.repeat(32)}`;
    });
  }

  /** A message is found only in its conversation, a delivery in its webhook, and a memory by path in its store. */
  function matchConversation(path: string): string {
    const message = /\/messages\/(msg_\w+)/.exec(path)?.[1] ?? '';
    const delivery = /\/deliveries\/(whd_\w+)/.exec(path)?.[1] ?? '';
    const [conversation, webhook] = [conversations.get(message), webhooks.get(delivery)];
    const space = members.get(/\/members\/(mbr_\w+)/.exec(path)?.[1] ?? '');
    if (space) return path.replace(/ten_\w+/, space);
    if (webhook) return path.replace(/whk_\w+/, webhook);
    const store = stores.get(/\/(?:memories|memory_versions)\/(mem(?:ver)?_\w+)/.exec(path)?.[1] ?? '');
    if (store && path.startsWith('/v1/memory_stores/')) return path.replace(/memstore_\w+/, store);
    return conversation ? path.replace(/conv_\w+/, conversation) : path;
  }

  /** What a request authenticates with. A session is needed where one is read or ended, and no key beside a ticket. */
  async function credentialOf(method: string, path: string, wanted: string): Promise<Record<string, string>> {
    const { apiKey } = tenant!;
    if (path !== '/v1/session' || (method === 'POST' && !wanted.includes('{{ticket'))) {
      return { authorization: `Bearer ${apiKey}` };
    }
    if (method === 'POST') return {};
    const { cookie, session } = await openBrowser(daemon, { apiKey });
    return { cookie, 'x-svc-csrf': session.csrf };
  }

  await renew();
  return {
    async prepare({ method, path, query, headers, isSignedIn, body }: PlannedRequest): Promise<Request> {
      const wanted = path + JSON.stringify(query) + String(body);
      if (wanted.includes('{{token')) signIn = { ...signIn, token: await newToken(daemon) };
      if (wanted.includes('{{code')) signIn = { ...signIn, ...(await newCode(daemon)) };
      if (/\{\{(device|user)Code/.test(wanted)) signIn = { ...signIn, ...(await askForDevice(daemon, email)) };
      if (wanted.includes('{{ticket')) signIn = { ...signIn, ticket: await ticketOf(daemon, tenant!.apiKey) };
      const parameters = query.map((pair) => pair.map((part) => encode(fill(part))).join('=')).join('&');
      const isProviderKey = /^\/v1\/provider-keys\/\w+$/.test(path) && method === 'PUT';
      const filledPath = matchConversation(fill(path));
      const search = /\/searches\/(srch_\w+)/.exec(filledPath)?.[1];
      if (search) remembered.set('result', resultsOf.get(search) ?? []);
      const filled = typeof body === 'string' ? fill(body) : body;
      return {
        method,
        path: filledPath + (parameters === '' ? '' : `?${parameters}`),
        headers: {
          ...(isSignedIn && (await credentialOf(method, path, wanted))),
          ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
        },
        // Without an address, svc would call the real provider.
        ...(filled !== undefined && { body: isProviderKey ? atProvider(filled, providerUrl) : filled }),
      };
    },
    send: (request: Request) => send(daemon.baseUrl, agent, request),
    /** Learns from an answer, and replaces the tenant if it has ended. */
    async learn({ method, path }: Request, answer: WireAnswer): Promise<void> {
      learn(answer);
      learnParents(path, answer);
      const hasEnded = answer.status === 204 && method === 'DELETE' && /^\/v1\/(account|auth\/key)/.test(path);
      if (hasEnded) await renew();
    },
    close: () => agent.destroy(),
  };
}

async function newToken(daemon: TestDaemon): Promise<string> {
  return tokenIn((await receiveLink(daemon, freshAddress())).link);
}

async function newCode(daemon: TestDaemon): Promise<{ code: string; verifier: string }> {
  const { login, codeVerifier } = startTerminal();
  const { link } = await receiveLink(daemon, freshAddress(), login);
  return { code: codeIn(await pressButton(daemon, link)), verifier: codeVerifier };
}

/** Gives a provider key the address of the provider. */
function atProvider(body: string | Uint8Array, baseUrl: string): string | Uint8Array {
  try {
    const value = JSON.parse(String(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? JSON.stringify({ ...value, baseUrl })
      : body;
  } catch {
    return body;
  }
}

/** Percent-encodes like `encodeURIComponent`, and lone surrogates too. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** Sends a request. The status of a broken connection is 0. */
function send(baseUrl: string, agent: Agent, { method, path, headers, body }: Request): Promise<WireAnswer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, headers: {}, text: error.message });
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = httpRequest(baseUrl, { agent, method, path, headers: { ...headers, ...length } }, async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) {
          chunks.push(chunk as Buffer);
          // An event stream does not end.
          if (response.headers['content-type']?.startsWith('text/event-stream')) break;
        }
        resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() });
      } catch (error) {
        fail(error as Error);
      }
    });
    sent.on('error', fail).end(body);
  });
}
