import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { groupTag, hasCode } from '../contract/named-items.ts';
import type { Client } from './client.ts';
import {
  fits,
  groupOf,
  groupsOf,
  isItem,
  itemOf,
  matches,
  memoryContent,
  nameOf,
  requireLabels,
} from './langgraph-items.ts';
import { storableText } from './message-parts.ts';

export { type KeepConversationOptions, keepConversation } from './langgraph-conversation.ts';

export interface SvcStoreOptions {
  client: Client;
  /** The person whose items they are, `default` unless given. */
  user?: string;
}

const LARGEST_PAGE = 200;
/** The most that svc returns for a query. */
const MOST_RESULTS = 100;
const LONGEST_QUERY = 10_000;
/** How many requests of a batch are in flight at once. */
const CONCURRENCY = 8;

/**
 * A store of LangGraph that keeps each item as a memory of the user: its value as JSON, which svc's search finds, with a
 * version for each put. A search with a query ranks at most 100 items. Values come back as they were put, except that svc
 * masks credentials. Throws if namespace and key, or the value, are too long for a memory.
 */
export class SvcStore extends BaseStore {
  readonly #client: Client;
  readonly #user: string;

  constructor({ client, user = 'default' }: SvcStoreOptions) {
    super();
    this.#client = client;
    this.#user = user;
  }

  /** Runs all reads, which do not see the puts of the same batch, and then the last put of each item. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = new Map<string, NewItem>();
    for (const operation of operations) {
      if (!('namespace' in operation)) continue;
      const name = nameOf(operation);
      if ('value' in operation) puts.set(name, newItem(name, operation));
    }
    const results = await inTurns(operations, (operation) => this.#read(operation));
    await inTurns([...puts], ([name, item]) => this.#put(name, item));
    return results as OperationResults<Op>;
  }

  async #read(operation: Operation): Promise<Item | SearchItem[] | string[][] | null> {
    if ('namespacePrefix' in operation) return this.#search(operation);
    if (!('namespace' in operation)) return this.#listNamespaces(operation);
    return 'value' in operation ? null : this.#get(operation);
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const key = { user: this.#user };
    const memory = await this.#client.memories.external.get(nameOf(operation), key).catch(ifMissing);
    return memory ? itemOf(memory) : null;
  }

  async #put(name: string, { content, groups }: NewItem): Promise<void> {
    const { external } = this.#client.memories;
    const user = this.#user;
    if (content === undefined) return void (await external.delete(name, { user }).catch(ifMissing));
    const tags = groups.map((group) => groupTag(group, user));
    await external.put(name, { content, user, tags, origin: 'program' });
  }

  async #search({ namespacePrefix, filter, query, limit = 10, offset = 0 }: SearchOperation): Promise<SearchItem[]> {
    requireLabels(namespacePrefix);
    const found: SearchItem[] = [];
    if (limit <= 0) return found;
    const page = filter ? LARGEST_PAGE : Math.min(limit + offset, LARGEST_PAGE);
    const items = query?.trim() ? this.#ranked(query, namespacePrefix) : this.#items(namespacePrefix, page);
    let skipped = 0;
    for await (const item of items) {
      if (!matches(item.value, filter)) continue;
      if (skipped < offset) skipped += 1;
      else found.push(item);
      if (found.length === limit) break;
    }
    return found;
  }

  async *#ranked(query: string, namespacePrefix: string[]): AsyncGenerator<SearchItem> {
    const { results } = await this.#client.search({
      query: storableText(query, LONGEST_QUERY),
      user: this.#user,
      types: ['memory'],
      filter: { tags: [groupTag(groupOf(namespacePrefix), this.#user)] },
      limit: MOST_RESULTS,
    });
    // svc puts a statement that a newer one restates behind others; here both are items of their own.
    for (const result of results.sort((a, b) => b.score - a.score)) {
      if (result.type === 'memory' && isItem(result)) yield { ...itemOf(result), score: result.score };
    }
  }

  /** Yields the items below a namespace, the last changed first. */
  async *#items(namespacePrefix: string[], page = LARGEST_PAGE): AsyncGenerator<SearchItem> {
    const tag = groupTag(groupOf(namespacePrefix), this.#user);
    const filter = { user: this.#user, tag, limit: page, orderBy: 'updatedAt' } as const;
    for await (const memory of this.#client.memories.list(filter)) {
      if (isItem(memory)) yield { ...itemOf(memory), score: undefined };
    }
  }

  /** Reads every item below the prefix. */
  async #listNamespaces({ matchConditions = [], maxDepth, limit, offset = 0 }: ListNamespacesOperation) {
    const prefix = matchConditions.find(({ matchType }) => matchType === 'prefix')?.path ?? [];
    const wildcard = prefix.indexOf('*');
    const found = new Set<string>();
    for await (const { namespace } of this.#items(wildcard < 0 ? prefix : prefix.slice(0, wildcard))) {
      if (matchConditions.every((condition) => fits(namespace, condition))) {
        found.add(namespace.slice(0, maxDepth).join(':'));
      }
    }
    const names = [...found].sort((a, b) => a.localeCompare(b) || (a < b ? -1 : 1));
    return names.slice(offset, limit === undefined ? undefined : offset + limit).map((name) => name.split(':'));
  }
}

/** What a put stores: without content, nothing. */
interface NewItem {
  content: string | undefined;
  groups: string[];
}

function newItem(name: string, { namespace, value }: PutOperation): NewItem {
  return { content: value === null ? undefined : memoryContent(name, value), groups: groupsOf(namespace) };
}

/** Runs work for each item, a few at once, in order of the items. */
async function inTurns<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    results.push(...(await Promise.all(items.slice(start, start + CONCURRENCY).map(work))));
  }
  return results;
}

function ifMissing(error: unknown): undefined {
  if (!hasCode(error, 'not_found')) throw error;
}
