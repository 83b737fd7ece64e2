import {
  AsyncBatchedStore,
  InMemoryStore,
  InvalidNamespaceError,
  type ListNamespacesOperation,
  type Operation,
  type SearchItem,
} from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { SvcStore } from '../../src/client/langgraph.ts';
import { redactSecrets } from '../../src/lib/redaction.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let client: Client;
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const { apiKey } = await makeTenant(daemon, 'store@example.com', 'Enterprise');
  client = createClient({ baseUrl: daemon.baseUrl, apiKey });
});

afterAll(() => daemon.close());

/** A store without items, a minute later: the rate limit is that of the account. */
function newStore(): SvcStore {
  daemon.clock.advance(60_000);
  return new SvcStore({ client, user: `user ${++users}` });
}

/** Forgets namespaces whose items are all deleted, as a store that keeps only items does. */
function prune(reference: InMemoryStore): void {
  const { data } = reference as unknown as { data: Map<string, Map<string, unknown>> };
  for (const [namespace, items] of data) if (items.size === 0) data.delete(namespace);
}

const nameOf = ({ namespace, key }: { namespace: string[]; key: string }) => JSON.stringify([namespace, key]);
const sortedItems = (items: SearchItem[]) =>
  items
    .map(({ namespace, key, value }) => ({ namespace, key, value }))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** Runs a batch on both stores. Without a query neither promises an order of items. */
async function expectSameResults(store: SvcStore, reference: InMemoryStore, operations: Operation[]): Promise<void> {
  const all: Operation[] = operations.map((operation) =>
    'namespacePrefix' in operation ? { ...operation, limit: 1000, offset: 0 } : operation,
  );
  const expected: unknown[] = [];
  for (const operation of all) {
    // A put of the same batch changes the items that the reference has returned.
    if ('value' in operation) expected.push(null);
    else expected.push(structuredClone((await reference.batch([operation]))[0]));
  }
  await reference.batch(operations);
  prune(reference);
  const results: unknown[] = await store.batch(operations);
  for (const [index, operation] of operations.entries()) {
    const [result, same] = [results[index], expected[index]];
    if ('namespacePrefix' in operation) {
      const [page, found] = [sortedItems(result as SearchItem[]), sortedItems(same as SearchItem[])];
      const { limit = 10, offset = 0 } = operation;
      expect([operation, page.length]).toEqual([operation, Math.max(0, Math.min(found.length - offset, limit))]);
      for (const item of page) expect(found).toContainEqual(item);
    } else if ('key' in operation && result !== null) expect(result).toMatchObject({ ...withoutDates(same) });
    else expect([operation, result]).toEqual([operation, same]);
  }
  const rest = await store.search([], { limit: 1000 });
  expect(sortedItems(rest)).toEqual(sortedItems(await reference.search([], { limit: 1000 })));
}

function withoutDates(item: unknown): object {
  const { createdAt, updatedAt, ...rest } = item as SearchItem;
  return rest;
}

const label = fc.constantFrom('a', 'b', 'A', 'ada lovelace', 'é');
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom('k', 'K', 'k ', 'k:x.y', '', '日本', 'é', 'e\u0301');
/** Without what svc masks as a secret, such as the value of a random name that ends with "pw". */
const value = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom('x', 'y'),
      fc.string().filter((name) => name !== '__proto__'),
    ),
    fc.oneof(
      fc.constantFrom(1, 2, '2', true, null),
      fc.json().map((text): unknown => JSON.parse(text)),
    ),
    { noNullPrototype: true, maxKeys: 4 },
  )
  .filter((object) => redactSecrets(JSON.stringify(object, null, 2)).count === 0);
const operand = fc.constantFrom<unknown>(1, 2, '2', true, null);
const condition = fc.oneof(
  operand,
  fc.dictionary(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operand, { noNullPrototype: true }),
  fc.dictionary(fc.constantFrom('$in', '$nin', '$other'), fc.array(operand), { noNullPrototype: true, maxKeys: 2 }),
);
const few = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined });
const path = fc.array(fc.oneof(label, fc.constant('*')), { minLength: 1, maxLength: 2 });
const listing: fc.Arbitrary<ListNamespacesOperation> = fc.record({
  matchConditions: fc.option(
    fc.array(fc.record({ matchType: fc.constantFrom('prefix' as const, 'suffix' as const), path }), { maxLength: 2 }),
    { nil: undefined },
  ),
  maxDepth: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  limit: fc.integer({ min: 0, max: 5 }),
  offset: fc.integer({ min: 0, max: 2 }),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ namespace, key, value: fc.option(value, { freq: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      namespacePrefix: fc.array(label, { maxLength: 2 }),
      filter: fc.option(fc.dictionary(fc.constantFrom('x', 'y'), condition, { noNullPrototype: true, maxKeys: 2 }), {
        nil: undefined,
      }),
      limit: few,
      offset: few,
    }) as fc.Arbitrary<Operation>,
  },
  { weight: 1, arbitrary: listing },
);

describe('a store of LangGraph', () => {
  test('gives the results of InMemoryStore to any operations', async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const [store, reference] = [newStore(), new InMemoryStore()];
        for (const operations of all) await expectSameResults(store, reference, operations);
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  test('returns any JSON object as it was put', async () => {
    const store = newStore();
    await fc.assert(
      fc.asyncProperty(value, async (object) => {
        await store.put(['values'], 'key', object);
        expect((await store.get(['values'], 'key'))?.value).toEqual(object);
      }),
      { numRuns: 25 },
    );
    const special = { text: '\0 \ud800 \u2028', deep: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) };
    await store.put(['values'], 'key', special);
    expect((await store.get(['values'], 'key'))?.value).toEqual(special);
  });

  test('keeps when an item was created and last put, and its versions', async () => {
    const store = new SvcStore({ client, user: 'dates' });
    await store.put(['users', 'ada'], 'taste', { drink: 'tea' });
    const first = (await store.get(['users', 'ada'], 'taste'))!;
    daemon.clock.advance(60_000);
    await store.put(['users', 'ada'], 'taste', { drink: 'mate' });
    const second = (await store.get(['users', 'ada'], 'taste'))!;
    expect(second.createdAt).toEqual(first.createdAt);
    expect(second.updatedAt.getTime() - first.updatedAt.getTime()).toBeGreaterThanOrEqual(60_000);
    const { data } = await client.memories.list({ user: 'dates' });
    expect(data).toMatchObject([{ externalId: 'langgraph:users.ada:taste', origin: 'program', version: 2 }]);
    expect(data[0]!.content).toBe('users.ada:taste\n\n{\n  "drink": "mate"\n}');
  });

  test('ranks items by a query within a namespace and filter', async () => {
    const store = newStore();
    await store.put(['ada', 'facts'], '1', { text: 'The basilisk sleeps in the cellar', sure: true });
    await store.put(['ada', 'facts'], '2', { text: 'The griffin sleeps in the attic', sure: true });
    await store.put(['bo', 'facts'], '1', { text: 'The basilisk sleeps in the garden', sure: true });
    const asked = { query: 'Where does the basilisk sleep?' };
    const [best, ...others] = await store.search(['ada'], asked);
    expect(best).toMatchObject({ namespace: ['ada', 'facts'], key: '1', value: { sure: true } });
    expect(best!.score).toBeGreaterThan(others[0]?.score ?? 0);
    expect(others.every((item) => item.namespace[0] === 'ada')).toBe(true);
    expect(await store.search(['ada'], { ...asked, filter: { sure: { $ne: true } } })).toEqual([]);
    expect(await store.search(['ada'], { ...asked, limit: 1 })).toEqual([best]);
    expect(await store.search(['ada'], { ...asked, limit: 1, offset: 1 })).toEqual(others.slice(0, 1));
    expect(await store.search(['ada'], { query: '  ' })).toHaveLength(2);
  });

  test('pages through more items than one request returns, the last changed first', async () => {
    const store = newStore();
    await store.batch(
      Array.from({ length: 230 }, (_, index) => ({ namespace: ['many'], key: `${index}`, value: { index } })),
    );
    const all = await store.search(['many'], { limit: 1000 });
    expect(new Set(all.map((item) => item.key)).size).toBe(230);
    expect(await store.search(['many'], { limit: 20, offset: 210 })).toEqual(all.slice(210));
    daemon.clock.advance(1000);
    await store.put(['many'], '7', { index: 7, again: true });
    expect((await store.search(['many'], { limit: 1 }))[0]!.key).toBe('7');
  });

  test('keeps the items of users apart', async () => {
    const [ada, bo] = [newStore(), newStore()];
    await ada.put(['notes'], 'k', { a: 1 });
    expect(await bo.get(['notes'], 'k')).toBeNull();
    expect(await bo.search([])).toEqual([]);
    expect(await bo.listNamespaces()).toEqual([]);
    await bo.delete(['notes'], 'k');
    expect((await ada.get(['notes'], 'k'))?.value).toEqual({ a: 1 });
  });

  test('serves the batched store that LangGraph wraps around it', async () => {
    const store = new AsyncBatchedStore(newStore());
    store.start();
    await Promise.all([store.put(['a'], '1', { n: 1 }), store.put(['a'], '2', { n: 2 })]);
    const [one, two, found] = await Promise.all([
      store.get(['a'], '1'),
      store.get(['a'], '2'),
      store.search(['a'], { filter: { n: { $gt: 1 } } }),
    ]);
    expect([one?.value, two?.value, found.length]).toEqual([{ n: 1 }, { n: 2 }, 1]);
    await store.stop();
  });

  test('refuses what does not fit before it stores anything of the batch', async () => {
    const store = newStore();
    const put = (namespace: string[], key: string, value: object) =>
      store.batch([
        { namespace: ['fine'], key: 'k', value: { a: 1 } },
        { namespace, key, value },
      ]);
    await expect(put(['a'], 'large', { text: 'x'.repeat(100_000) })).rejects.toThrow(
      'a:large would have 100016 characters; at most 99991 fit. Split it.',
    );
    await expect(put(['a'], 'k'.repeat(240), {})).rejects.toThrow('229 characters and 59 labels are allowed');
    await expect(put(Array(60).fill('a'), 'k', {})).rejects.toThrow('59 labels are allowed');
    await expect(put(['a'], 'line\nbreak', {})).rejects.toThrow('contains a control character');
    for (const namespace of [[], [''], ['a.b'], ['a:b'], ['a\0']]) {
      await expect(put(namespace, 'k', {})).rejects.toThrow(InvalidNamespaceError);
    }
    expect(await store.search([])).toEqual([]);
  });

  test('returns the text of an item that a person has rewritten', async () => {
    const store = new SvcStore({ client, user: 'edited' });
    await store.put(['a'], 'k', { drink: 'tea' });
    const { data } = await client.memories.list({ user: 'edited' });
    await client.memories.update(data[0]!.id, { content: 'Drinks mate.' });
    expect((await store.get(['a'], 'k'))?.value).toEqual({ text: 'Drinks mate.' });
  });
});

test('ignores a memory that only looks like an item', async () => {
  const store = new SvcStore({ client });
  await client.memories.create({ content: 'A note', externalId: 'langgraph:note', tags: ['langgraph'] });
  await store.put(['a'], 'one', { text: 'One' });
  expect((await store.search([])).map(({ key }) => key)).toEqual(['one']);
});
