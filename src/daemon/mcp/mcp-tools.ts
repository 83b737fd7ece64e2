import { type Static, Type } from 'typebox';
import { IdParams, strict } from '../../contract/common.ts';
import { ConversationAppend, ConversationAppended } from '../../contract/conversations.ts';
import { Feedback, FeedbackResult, SearchParams } from '../../contract/learning.ts';
import {
  AddedMemory,
  ChangedMemory,
  MemoriesQuery,
  Memory,
  MemoryChange,
  MemoryPage,
  NewMemory,
} from '../../contract/memories.ts';
import { ASKED_RELATED } from '../../contract/related.ts';
import { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import type { Learning } from '../../features/learning/learning.ts';
import { addWithRelated, type FindRelated, type Memories } from '../../features/memories/memories.ts';
import { addedText, appendedText, changedText, contextText, memoryText, pageText, searchText } from './mcp-answers.ts';
import { ID, IN_PROJECT, PROJECT, TIME, USER, WORDINGS } from './mcp-notes.ts';
import type { Recall } from './mcp-readers.ts';
import { APPENDS, DELETES, READS, type Registration, tool, WRITES } from './mcp-tool.ts';

export type { McpCall, Registration } from './mcp-tool.ts';

/** What an assistant stores is known to be its own words, whatever it says of them. */
const OF_ASSISTANT = { origin: 'assistant' } as const;
const Addition = Type.Omit(NewMemory, ['origin'], strict);
type Addition = Static<typeof Addition>;
const Change = Type.Omit(MemoryChange, ['origin', 'validTo']);
type Change = Static<typeof Change>;
const Update = Type.Object(
  { ...IdParams.properties, ...Change.properties },
  { ...strict, minProperties: 2, description: 'The id and at least one field to change' },
);
const FeedbackInput = Type.Object(
  { ...SearchParams.properties, ...Feedback.properties },
  { ...strict, minProperties: 2 },
);
const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });

const OneMemory = Type.Object(IdParams.properties, strict);

// Assistants have no use for the milliseconds of each stage.
const Recalled = Type.Omit(ContextAnswer, ['timings']);
const Topic = Type.Omit(ContextRequest, ['explain', 'exclude', 'spaces'], strict);
const Found = Type.Omit(SearchAnswer, ['timings', 'context']);
// Each argument costs the model's attention: these are for people who look at what is stored.
const Question = Type.Omit(SearchRequest, ['includeSuperseded', 'contextTokens', 'spaces'], strict);

function addingTools(memories: Memories, findRelated: FindRelated): Registration[] {
  return [
    tool({
      name: 'memory_add',
      title: 'Remember a fact',
      description:
        'Store one lasting fact as soon as you learn it, unasked: a preference, a decision and its reason, a fact about a person, project or environment, a lesson learned. One self-contained fact per call: names instead of pronouns, dates instead of "today". No secrets, small talk or what the code says anyway.',
      annotations: WRITES,
      alwaysLoad: true,
      input: Addition,
      arguments: {
        content: 'The fact, in one or two full sentences',
        user: USER,
        project: PROJECT,
        tags: '3 to 5 labels of a word or two that the text lacks and the user may ask with: "father", "job"',
        occurredAt: `When it happened, if not now: ${TIME}`,
        expiresAt: `When to forget it: ${TIME}`,
        supersedes: 'Id of the memory that this replaces',
      },
      output: AddedMemory,
      run: (principal, input: Addition) =>
        addWithRelated(findRelated, principal, input, ASKED_RELATED, () =>
          memories.add(principal, { ...input, ...OF_ASSISTANT }),
        ),
      text: addedText,
    }),
  ];
}

function changingTools(memories: Memories): Registration[] {
  return [
    tool({
      name: 'memory_update',
      title: 'Correct a memory',
      description:
        'Correct a memory that was wrong or badly worded: only the given fields change. If the fact itself has changed, use memory_add with supersedes.',
      annotations: WRITES,
      input: Update,
      arguments: {
        id: ID,
        content: 'The complete new text',
        tags: 'The complete new list',
        occurredAt: `${TIME}; null clears it`,
        expiresAt: `${TIME}; null clears it`,
      },
      output: ChangedMemory,
      run: (principal, { id, ...change }: { id: string } & Change) =>
        memories.change(principal, id, change.content === undefined ? change : { ...change, ...OF_ASSISTANT }),
      text: changedText,
    }),
    tool({
      name: 'memory_delete',
      title: 'Forget a memory',
      description:
        'Delete a memory permanently, only when the user asks to forget something or it should never have been stored; supersede what is out of date.',
      annotations: DELETES,
      input: OneMemory,
      arguments: { id: ID },
      output: Deleted,
      run: async (principal, { id }: IdParams) => {
        await memories.remove(principal, id);
        return { id, deleted: true };
      },
      text: ({ id }) => `Forgotten: ${id}`,
    }),
  ];
}

function readingTools(memories: Memories, recall: Recall): Registration[] {
  return [
    tool({
      name: 'memory_get',
      title: 'Read a memory',
      description: 'Read one complete memory.',
      annotations: READS,
      input: OneMemory,
      arguments: { id: ID },
      output: Memory,
      run: (_principal, { id }: IdParams, call) =>
        recall.findAmong(call, 'memory:read', (principal) => memories.get(principal, id)),
      text: memoryText,
    }),
    tool({
      name: 'memory_list',
      title: 'List memories',
      description: 'Page through memories, newest first, to review them. To find something, use memory_search.',
      annotations: READS,
      input: MemoriesQuery,
      arguments: {
        user: USER,
        project: IN_PROJECT,
        tag: 'Only those with this tag',
        after: TIME,
        before: TIME,
        includeSuperseded: 'Also replaced ones',
        limit: 'Up to 200, default 50',
        cursor: 'From the previous page',
      },
      output: MemoryPage,
      run: (principal, input: MemoriesQuery) => memories.list(principal, input),
      text: pageText,
    }),
  ];
}

function searchTools(recall: Recall): Registration[] {
  return [
    tool({
      name: 'memory_search',
      title: 'Search memories',
      description:
        'Find memories, best first, with ids and dates: for a specific fact, before adding something that may be known, and for the id of one to update, supersede or delete.',
      annotations: READS,
      alwaysLoad: true,
      input: Question,
      arguments: {
        query: 'Distinctive words: names, places, terms',
        wordings: WORDINGS,
        user: USER,
        project: IN_PROJECT,
        limit: 'Up to 100, default 10',
        types: 'What to find; default: all',
        filter: [
          'Conditions that must all hold',
          {
            tags: 'A memory must have all',
            after: TIME,
            before: TIME,
          },
        ],
        asOf: `What was valid then: ${TIME}`,
      },
      output: Found,
      run: (_principal, input: SearchRequest, call) => recall.search(call, input),
      text: searchText,
    }),
    tool({
      name: 'memory_context',
      title: 'Recall relevant memories',
      description:
        'Get what is remembered about a topic as one text. Call it at the start of a conversation or task, and before you ask for something that the user may have told you before.',
      annotations: READS,
      alwaysLoad: true,
      input: Topic,
      arguments: {
        query: 'The topic or task, in a sentence',
        wordings: WORDINGS,
        user: USER,
        project: IN_PROJECT,
        maxTokens: 'Default 1000',
        types: 'What to recall; default: all',
      },
      output: Recalled,
      run: (_principal, input: ContextRequest, call) => recall.context(call, input),
      text: contextText,
    }),
  ];
}

function feedbackTools(learning: Learning, recall: Recall): Registration[] {
  return [
    tool({
      name: 'memory_feedback',
      title: 'Report which results helped',
      description: 'Report, once per search or recall, which results helped, so that later ones rank better.',
      annotations: WRITES,
      input: FeedbackInput,
      arguments: {
        searchId: 'srch_… id that the search returned',
        used: 'Ids that you used',
        irrelevant: 'Ids beside the point',
      },
      output: FeedbackResult,
      run: (_principal, { searchId, ...feedback }: SearchParams & Feedback, call) =>
        recall.findAmong(call, 'memory', (principal) => learning.feedback(principal, searchId, feedback)),
      text: ({ learned }) => (learned ? 'Learned.' : 'Nothing new to learn; nothing was changed.'),
    }),
  ];
}

/** The features that the tools call. */
export interface ToolRooms {
  memories: Memories;
  findRelated: FindRelated;
  recall: Recall;
  conversations: Conversations;
  learning: Learning;
}

/** All MCP tools, in the order in which they are listed. */
export function createTools({ memories, findRelated, recall, conversations, learning }: ToolRooms): Registration[] {
  return [
    ...searchTools(recall),
    ...addingTools(memories, findRelated),
    ...changingTools(memories),
    ...readingTools(memories, recall),
    ...feedbackTools(learning, recall),
    ...conversationTools(conversations),
  ];
}

/** Tools that store conversations. */
function conversationTools(conversations: Conversations): Registration[] {
  return [
    tool({
      name: 'conversation_append',
      title: 'Store conversation messages',
      description:
        'Store what was said, verbatim, to be searched later; for a fact learned from it, use memory_add. Send each message once.',
      annotations: APPENDS,
      input: ConversationAppend,
      arguments: {
        conversationId: 'conv_… id to continue',
        title: 'Of a new conversation',
        user: USER,
        project: PROJECT,
        messages: ['In order', { role: 'Whose turn', content: 'What was said', createdAt: TIME }],
      },
      output: ConversationAppended,
      run: (principal, input: ConversationAppend) => conversations.append(principal, input),
      text: appendedText,
    }),
  ];
}
