import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { writeN8nPackage } from '../../scripts/n8n-package.ts';
import { createClient } from '../../src/client/client.ts';
import type { Svc } from '../../src/client/n8n/node.ts';
import type { SvcTrigger } from '../../src/client/n8n/trigger.ts';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { installPackages, packagesOf } from '../helpers/npm-packages.ts';

interface Item {
  json: Record<string, unknown>;
}

interface Node {
  name: string;
  type: string;
  parameters: Record<string, unknown>;
}

/** What the test uses of `n8n-workflow`. */
interface N8nWorkflow {
  Workflow: new (
    options: object,
  ) => {
    nodes: Record<string, Node>;
    expression: { getParameterValue(value: unknown, ...where: unknown[]): unknown };
    getChildNodes(name: string): string[];
    getStaticData(type: string, node: Node): object;
  };
  NodeHelpers: { getNodeParametersIssues(properties: object[], node: Node, description: object): object | null };
}

type Account = Awaited<ReturnType<typeof account>>;

let folder: string;
let daemon: TestDaemon;
let n8n: N8nWorkflow;
const types: Record<string, Svc | SvcTrigger | { description: object }> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-n8n-'));
  // Its native package runs expressions apart from the rest; without it they run in the process.
  await installPackages('n8n', ['n8n-workflow@2.41.0', '--ignore-scripts']);
  n8n = createRequire(import.meta.url)(join(packagesOf('n8n'), 'n8n-workflow'));
  await writeN8nPackage(folder);
  await loadNodes();
  daemon = await startTestDaemon({ config: { providerHosts: [parseAllowedHost('127.0.0.1')] } });
}, 300_000);

afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

/** Loads the nodes of the package as n8n does: the class has the name of its file. */
async function loadNodes(): Promise<void> {
  const { name, n8n: listed } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  types['n8n-nodes-base.manualTrigger'] = { description: { properties: [], group: ['trigger'] } };
  for (const file of listed.nodes as string[]) {
    const [, className = ''] = /(\w+)\.node\.js$/.exec(file)!;
    const node: Svc | SvcTrigger = new (createRequire(import.meta.url)(join(folder, file))[className])();
    types[`${name}.${node.description.name}`] = node;
    await readFile(join(folder, file, '..', node.description.icon.replace('file:', '')));
  }
}

async function account(name: string) {
  const { apiKey } = await makeTenant(daemon, `${name}@example.com`);
  const credentials = { url: daemon.baseUrl, apiKey };
  return { client: createClient({ baseUrl: daemon.baseUrl, apiKey }), credentials };
}

function open(workflow: { nodes: Node[]; connections: object }) {
  const nodeTypes = { getByNameAndVersion: (name: string) => types[name], getByName: (name: string) => types[name] };
  return new n8n.Workflow({ id: '1', active: false, nodeTypes, ...workflow });
}

type Opened = ReturnType<typeof open>;

/** The functions that n8n gives a node; expressions are n8n's own. */
function contextOf(workflow: Opened, node: Node, { credentials }: Account, items: Item[]) {
  return {
    getCredentials: async () => credentials,
    getInputData: () => items,
    getNodeParameter: (name: string, index = 0) =>
      workflow.expression.getParameterValue(node.parameters[name], null, 0, index, node.name, items, 'manual', {}),
    getWorkflowStaticData: (type: string) => workflow.getStaticData(type, node),
    continueOnFail: () => false,
  };
}

async function run(parameters: Record<string, unknown>, owner: Account, items: Item[] = [{ json: {} }]) {
  const node = { id: '1', name: 'svc', type: 'n8n-nodes-svc-memory.svc', typeVersion: 1, position: [0, 0], parameters };
  const workflow = open({ nodes: [node], connections: {} });
  return runNode(workflow, workflow.nodes.svc!, owner, items);
}

async function runNode(workflow: Opened, node: Node, owner: Account, items: Item[]): Promise<Item[]> {
  const { description, execute } = types[node.type] as Svc;
  expect(n8n.NodeHelpers.getNodeParametersIssues(description.properties, node, description)).toBeNull();
  const [output] = await execute.call(contextOf(workflow, node, owner, items));
  return output as Item[];
}

test('the example adds a memory and gets the context that has it', async () => {
  const owner = await account('example');
  const example = JSON.parse(await readFile(new URL('../../examples/n8n.json', import.meta.url), 'utf8'));
  const workflow = open(example);
  let items: Item[] = [{ json: {} }];
  for (const name of ['Add', 'Context']) {
    expect(workflow.getChildNodes('Start')).toContain(name);
    items = await runNode(workflow, workflow.nodes[name]!, owner, items);
  }
  expect(items).toHaveLength(1);
  expect(items[0]!.json.text).toContain('Ada prefers oolong tea');
  const { data } = await owner.client.memories.list({ user: 'ada' });
  expect(data.map(({ tags }) => tags)).toEqual([['taste', 'tea']]);
});

test('a turn is remembered in one conversation, and a search finds it, for each item', async () => {
  const owner = await account('turns');
  const turn = { operation: 'remember', message: '={{ $json.asked }}', answer: 'Noted.' };
  const [first] = await run({ ...turn, user: 'ada' }, owner, [{ json: { asked: 'I keep a wyvern.' } }]);
  const next = { ...turn, conversationId: '={{ $json.conversationId }}' };
  await run(next, owner, [{ json: { ...first!.json, asked: 'It is called Kim.' } }]);
  const query = { operation: 'search', query: '={{ $json.query }}', user: 'ada', limit: 1 };
  const found = await run(query, owner, [{ json: { query: 'wyvern' } }, { json: { query: 'Kim' } }]);
  expect(found.map(({ json }) => json.content)).toEqual(['I keep a wyvern.', 'It is called Kim.']);
  expect(found.map((item) => (item as Item & { pairedItem: object }).pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  expect(new Set(found.map(({ json }) => json.conversationId))).toEqual(new Set([first!.json.conversationId]));
});

test('an error of svc fails the run with its message', async () => {
  const { credentials, client } = await account('errors');
  const wrong = { client, credentials: { ...credentials, apiKey: `svc_live_${'0'.repeat(32)}` } };
  await expect(run({ operation: 'search', query: 'tea' }, wrong)).rejects.toThrow(/key/i);
});

test('the trigger has a webhook while it is active, starts for signed events alone, and answers a test', async () => {
  const owner = await account('trigger');
  const parameters = { events: ['memory.created'], user: 'ada' };
  const node = { id: '1', name: 'On', type: 'n8n-nodes-svc-memory.svcTrigger', typeVersion: 1, parameters };
  const workflow = open({ nodes: [{ ...node, position: [0, 0] } as Node], connections: {} });
  const on = workflow.nodes.On!;
  const trigger = types[on.type] as SvcTrigger;
  const started: unknown[] = [];
  // As n8n serves a webhook.
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const result = (await trigger.webhook.call({
      ...contextOf(workflow, on, owner, []),
      getHeaderData: () => request.headers as Record<string, string>,
      getRequestObject: () => ({ rawBody: Buffer.concat(chunks) }),
      getResponseObject: () => ({ status: (code: number) => ({ end: () => void response.writeHead(code).end() }) }),
    })) as { workflowData?: Item[][]; noWebhookResponse?: boolean };
    started.push(...(result.workflowData?.[0] ?? []));
    if (!result.noWebhookResponse) response.end();
  }).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.address()).not.toBeNull(), { timeout: 10_000 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/1`;
  const context = { ...contextOf(workflow, on, owner, []), getNodeWebhookUrl: () => url };
  const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
  try {
    expect(await checkExists.call(context)).toBe(false);
    await create.call(context);
    expect(await checkExists.call(context)).toBe(true);
    const { data: webhooks } = await owner.client.webhooks.list();
    expect(webhooks).toMatchObject([{ url, ...parameters }]);
    expect(await owner.client.webhooks.test(webhooks[0]!.id)).toMatchObject({ state: 'delivered' });
    const forged = await fetch(url, { method: 'POST', body: '{"type":"memory.created"}' });
    expect(forged.status).toBe(401);
    const { id } = await owner.client.memories.create({ content: 'Ada keeps a wyvern', user: 'ada' });
    await vi.waitFor(() => expect(started).toHaveLength(1), { timeout: 20_000 });
    expect(started).toMatchObject([{ json: { type: 'memory.created', data: { id, user: 'ada' } } }]);
    await remove.call(context);
    expect((await owner.client.webhooks.list()).data).toEqual([]);
    expect(await checkExists.call(context)).toBe(false);
  } finally {
    server.close();
  }
});
