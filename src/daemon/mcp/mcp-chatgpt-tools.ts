import { type Static, Type } from 'typebox';
import { IdParams, strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { fence, oneLine, quoted, withoutTags } from '../../contract/fence.ts';
import { SearchRequest, type SearchResult } from '../../contract/search.ts';
import { speakerOf } from '../../contract/speaker.ts';
import type { ViewName } from '../../contract/view-names.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import type { Episodes } from '../../features/episodes/episodes.ts';
import type { Principal } from '../../features/keys/keys.ts';
import type { Memories } from '../../features/memories/memories.ts';
import type { Search } from '../../features/search/search.ts';
import { READS, type Registration, tool } from './mcp-tool.ts';

interface Dependencies {
  search: Search;
  memories: Memories;
  conversations: Conversations;
  episodes: Episodes;
  publicUrl: () => string;
}

const Question = Type.Object({ query: SearchRequest.properties.query }, strict);
type Question = Static<typeof Question>;
const Item = Type.Object(IdParams.properties, strict);

const Reference = { id: Type.String(), title: Type.String(), url: Type.String() };
const References = Type.Object({ results: Type.Array(Type.Object(Reference)) });
type References = Static<typeof References>;
const Document = Type.Object({
  ...Reference,
  text: Type.String(),
  metadata: Type.Record(Type.String(), Type.String()),
});
type Document = Static<typeof Document>;

/** An item before its texts are made safe to show. */
interface Found {
  id: string;
  title: string;
  text: string;
  page: Page;
  /** What is known about it; what is null or empty is left out. */
  facts: Record<string, string | null | undefined>;
}

/** A view of the web app with its parameters. */
type Page = [view: ViewName, parameters: Record<string, string | null | undefined>];

/** Most characters of a title; a memory and a message have none, so their text is used instead. */
const TITLE_CHARACTERS = 100;

/**
 * The two tools that ChatGPT's connectors and deep research call, named and answered as they require: one text, which is
 * JSON and nothing else. Titles and metadata are single lines without tags, and the text of a document is fenced.
 */
export function createChatgptTools({ search, publicUrl, ...items }: Dependencies): Registration[] {
  /** The page opens in the space in which the caller acts. */
  const addressIn =
    ({ space }: Principal): AddressOf =>
    ([view, parameters]) => {
      const given = Object.entries({ ...parameters, space: space?.id }).filter((one): one is [string, string] =>
        Boolean(one[1]),
      );
      return `${publicUrl()}/dashboard/${view}?${new URLSearchParams(given)}`;
    };

  return [
    tool({
      name: 'search',
      title: 'Search the memory',
      description:
        'Search what is remembered: facts, messages of earlier conversations and summaries of them. Returns the best results first; read one with fetch.',
      annotations: READS,
      input: Question,
      arguments: { query: 'A question, then synonyms and other words in which it may have been told' },
      output: References,
      async run(principal, { query }: Question) {
        const { searchId, results } = await search.search(principal, { query });
        return { searchId, results: results.map((result) => referenceTo(result, addressIn(principal))) };
      },
      text: ({ results }) => JSON.stringify({ results }),
      isParsed: true,
    }),
    tool({
      name: 'fetch',
      title: 'Read a search result',
      description: 'Read the full text of a search result, with its dates and who said it.',
      annotations: READS,
      input: Item,
      arguments: { id: 'As search returned it' },
      output: Document,
      run: async (principal, { id }: IdParams, { mark }) =>
        documentOf(await find(items, principal, id), addressIn(principal), mark),
      text: (document: Document) => JSON.stringify(document),
      isParsed: true,
      advice: { not_found: 'Call fetch with an id that search returned. The item may have been deleted since.' },
    }),
  ];
}

type AddressOf = (page: Page) => string;

function referenceTo(result: SearchResult, addressOf: AddressOf): References['results'][number] {
  return { id: result.id, title: lineOf(titleOf(result)), url: addressOf(pageOf(result)) };
}

function documentOf({ id, title, text, page, facts }: Found, addressOf: AddressOf, mark: string): Document {
  const metadata = Object.entries(facts).flatMap(([name, fact]) =>
    fact ? [[name, withoutTags(oneLine(fact))] as const] : [],
  );
  return {
    id,
    title: lineOf(title),
    text: fence(quoted(text), mark),
    url: addressOf(page),
    metadata: Object.fromEntries(metadata),
  };
}

/** Finds an item by the id that a search returned. Throws `not_found`. */
function find(items: Omit<Dependencies, 'search' | 'publicUrl'>, principal: Principal, id: string): Promise<Found> {
  if (id.startsWith('mem_')) return findMemory(items.memories, principal, id);
  if (id.startsWith('msg_')) return findMessage(items.conversations, principal, id);
  if (id.startsWith('ep_')) return findEpisode(items.episodes, principal, id);
  throw new AppError('not_found', 'Nothing is remembered under this id.');
}

async function findMemory(memories: Memories, principal: Principal, id: string): Promise<Found> {
  const memory = await memories.get(principal, id);
  const { content, user, project, tags, author, origin, occurredAt, createdAt, expiresAt, validTo, supersededBy } =
    memory;
  const facts = { type: 'memory', user, project, tags: tags.join(', '), author, origin, occurredAt, createdAt };
  return {
    ...{ id, text: content, title: titleOf({ type: 'memory', content }), page: pageOf({ type: 'memory', id }) },
    facts: { ...facts, expiresAt, validTo, supersededBy },
  };
}

async function findMessage(conversations: Conversations, principal: Principal, id: string): Promise<Found> {
  const { message, text, conversation } = await conversations.messageById(principal, id);
  const { conversationId, createdAt, role, name, author } = message;
  const { user, project, title } = conversation;
  return {
    ...{ id, text, title: titleOf({ type: 'message', content: text, role, name }) },
    page: pageOf({ type: 'message', id, conversationId }),
    facts: {
      type: 'message',
      user,
      project,
      speaker: speakerOf(message),
      author,
      conversationId,
      conversation: title,
      createdAt,
    },
  };
}

async function findEpisode(episodes: Episodes, principal: Principal, id: string): Promise<Found> {
  const { title, summary, outcome, user, project, conversationId, startedAt, endedAt } = await episodes.get(
    principal,
    id,
  );
  return {
    ...{ id, title, text: [title, summary, outcome].filter(Boolean).join('\n\n') },
    page: pageOf({ type: 'episode', title, conversationId }),
    facts: { type: 'episode', user, project, conversationId, startedAt, endedAt },
  };
}

type Titled =
  | { type: 'memory'; content: string }
  | ({ type: 'message'; content: string } & Parameters<typeof speakerOf>[0])
  | { type: 'episode'; title: string };

function titleOf(item: Titled): string {
  if (item.type === 'memory') return item.content;
  return item.type === 'episode' ? item.title : `${speakerOf(item)}: ${item.content}`;
}

type Placed =
  | { type: 'memory'; id: string }
  | { type: 'message'; id: string; conversationId: string }
  | { type: 'episode'; title: string; conversationId: string | null };

/** Returns where the web app shows an item. An episode without a conversation has no page, but is found. */
function pageOf(item: Placed): Page {
  if (item.type === 'memory') return ['memories', { id: item.id }];
  if (item.type === 'message') return ['conversations', { id: item.conversationId, message: item.id }];
  if (item.conversationId) return ['conversations', { id: item.conversationId }];
  return ['recall', { types: 'episode', q: lineOf(item.title) }];
}

/** Returns the beginning of stored text as one line in which nothing poses as a fence. */
function lineOf(text: string): string {
  const start = text.slice(0, 10 * TITLE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  const characters = Array.from(withoutTags(oneLine(start)));
  if (characters.length <= TITLE_CHARACTERS) return characters.join('');
  return `${characters.slice(0, TITLE_CHARACTERS).join('').trimEnd()}…`;
}
