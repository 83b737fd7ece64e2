import { Type } from 'typebox';
import { IdParams, strict } from '../../contract/common.ts';
import { Feedback, FeedbackResult, SearchParams } from '../../contract/learning.ts';
import { AddedMemory, MemoriesQuery, Memory, MemoryChange, MemoryPage, NewMemory } from '../../contract/memories.ts';
import { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { Conversations } from '../../features/conversations/conversations.ts';
import type { Learning } from '../../features/learning/learning.ts';
import type { Memories } from '../../features/memories/memories.ts';
import type { Search } from '../../features/search/search.ts';
import { addedText, contextText, memoryText, pageText, searchText } from './mcp-answers.ts';
import { conversationTools } from './mcp-conversation-tools.ts';
import { toolInput } from './mcp-schemas.ts';
import { DELETES, READS, type Registration, tool, WRITES } from './mcp-tool.ts';

export type { McpCall, Registration } from './mcp-tool.ts';

const USER = 'Whose memories, if you serve several people: be consistent. Omit it if you serve one.';
const PROJECT =
  'The project it belongs to, e.g. the name of the repository: be consistent. Omit it for what holds everywhere.';
const IN_PROJECT = 'Only what belongs to this project or to none';
const ID = 'The id of a memory (mem_…), as returned by the other memory tools';
const SPAN = 'RFC 3339 with offset, e.g. 2026-05-01T00:00:00Z';

const Update = Type.Object(
  { ...IdParams.properties, ...MemoryChange.properties },
  { ...strict, minProperties: 2, description: 'The id and at least one field to change' },
);
const FeedbackInput = Type.Object(
  { ...SearchParams.properties, ...Feedback.properties },
  { ...strict, minProperties: 2 },
);
const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });

function addingTools(memories: Memories): Registration[] {
  return [
    tool({
      name: 'memory_add',
      title: 'Remember a fact',
      description:
        'Store one lasting fact for later conversations: a preference, a decision and its reason, a fact about a person, project or environment, a lesson learned. Call it as soon as you learn such a fact, and whenever the user asks you to remember something. Store one self-contained fact per call, understandable without this conversation (names instead of pronouns, dates instead of "today"). Not for secrets, small talk or anything that is in the code anyway. If the fact replaces one you found, pass its id as `supersedes`. Adding the same content again does not create a second memory.',
      annotations: WRITES,
      input: toolInput<NewMemory>(NewMemory, {
        content: 'The fact, as one or two full sentences',
        user: USER,
        project: PROJECT,
        tags: 'A few short labels to filter by later',
        occurredAt: `When it happened or was said, if not now: ${SPAN}`,
        expiresAt: `When it stops being worth remembering: ${SPAN}`,
        supersedes: 'The id of the memory that this one replaces: it is kept as history but no longer found',
      }),
      output: AddedMemory,
      run: (principal, input) => memories.add(principal, input),
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
        'Correct a memory that was wrong or badly worded, or change its tags, metadata or dates. Only the given fields change; tags and metadata are replaced as a whole. If the fact itself has changed since it was stored, use memory_add with `supersedes` instead, so that the history is kept.',
      annotations: WRITES,
      input: toolInput<{ id: string } & MemoryChange>(Update, {
        id: ID,
        content: 'The complete new text',
        tags: 'The complete new list',
        metadata: 'The complete new object, any JSON',
      }),
      output: Memory,
      run: (principal, { id, ...change }) => memories.change(principal, id, change),
      text: (memory) => `Updated to version ${memory.version}:\n${memoryText(memory, true)}`,
    }),
    tool({
      name: 'memory_delete',
      title: 'Forget a memory',
      description:
        'Delete a memory permanently. Use it only when the user asks to forget something, or if it should never have been stored; for a fact that is merely out of date, use memory_add with `supersedes`.',
      annotations: DELETES,
      input: toolInput<IdParams>(Type.Object(IdParams.properties, strict), { id: ID }),
      output: Deleted,
      run: async (principal, { id }) => {
        await memories.remove(principal, id);
        return { id, deleted: true };
      },
      text: ({ id }) => `Forgotten: ${id}`,
    }),
  ];
}

function readingTools(memories: Memories): Registration[] {
  return [
    tool({
      name: 'memory_get',
      title: 'Read a memory',
      description: 'Read one complete memory by the id that another memory tool returned.',
      annotations: READS,
      input: toolInput<IdParams>(Type.Object(IdParams.properties, strict), { id: ID }),
      output: Memory,
      run: (principal, { id }) => memories.get(principal, id),
      text: (memory) => memoryText(memory),
    }),
    tool({
      name: 'memory_list',
      title: 'List memories',
      description:
        'Page through memories, newest first, filtered by user, tag or time, to review or tidy up what is stored. To find what is relevant to a question, use memory_search or memory_context.',
      annotations: READS,
      input: toolInput<MemoriesQuery>(
        MemoriesQuery,
        {
          user: USER,
          project: IN_PROJECT,
          tag: 'Only memories with this tag',
          after: `Only memories after this time: ${SPAN}`,
          before: `Only memories before this time: ${SPAN}`,
          cursor: '`nextCursor` of the previous page; the other arguments must stay the same',
          includeSuperseded: 'Include memories that were replaced by newer ones',
        },
        ['projectOnly'],
      ),
      output: MemoryPage,
      run: (principal, input) => memories.list(principal, input),
      text: pageText,
    }),
  ];
}

function searchTools(search: Search): Registration[] {
  return [
    tool({
      name: 'memory_search',
      title: 'Search memories',
      description:
        'Find memories by meaning and words, best first, with ids, scores and dates. Use it to look for a specific fact, to find the memory to update, supersede or delete, and before adding something that may already be known. Query with distinctive words (names, places, terms); narrow the results with filters rather than longer queries.',
      annotations: READS,
      input: toolInput<SearchRequest>(
        SearchRequest,
        {
          query: 'What to look for, in words that the memory is likely to contain',
          user: USER,
          project: IN_PROJECT,
          filter: 'Conditions that must all hold; a memory must have all of the given tags',
          asOf: `Return what was valid at this time: ${SPAN}`,
        },
        ['projectOnly', 'strategy', 'explain'],
      ),
      output: SearchAnswer,
      run: (principal, input) => search.search(principal, input),
      text: searchText,
    }),
    tool({
      name: 'memory_context',
      title: 'Recall relevant memories',
      description:
        'Get what is remembered about a topic as one block of text within a token budget, with citations. Call it at the start of a conversation or task with what the user wants, before you answer or ask for something that the user may have told you before.',
      annotations: READS,
      input: toolInput<ContextRequest>(
        ContextRequest,
        {
          query: 'The topic or task, in a sentence or a few words',
          user: USER,
          project: IN_PROJECT,
          maxTokens: 'How much of your context window the text may use',
        },
        ['projectOnly'],
      ),
      output: ContextAnswer,
      run: (principal, input) => search.context(principal, input),
      text: contextText,
    }),
  ];
}

function feedbackTools(learning: Learning): Registration[] {
  return [
    tool({
      name: 'memory_feedback',
      title: 'Report which results helped',
      description:
        'After you used results of memory_search or memory_context, report the ones that helped, so that later searches for this user rank better. Call it once per search, within a day. Report as used only what you actually used, and as irrelevant only what had nothing to do with the question.',
      annotations: WRITES,
      input: toolInput<SearchParams & Feedback>(FeedbackInput, {
        searchId: 'The searchId (srch_…) that the search returned',
        used: 'Ids of results that helped',
        irrelevant: 'Ids of results that had nothing to do with the question',
      }),
      output: FeedbackResult,
      run: (principal, { searchId, ...feedback }) => learning.feedback(principal, searchId, feedback),
      text: ({ learned }) => (learned ? 'Learned.' : 'Nothing new to learn; nothing was changed.'),
    }),
  ];
}

/** The features that the tools call. */
export interface ToolRooms {
  memories: Memories;
  search: Search;
  conversations: Conversations;
  learning: Learning;
}

/** All MCP tools, in the order in which they are listed. */
export function createTools({ memories, search, conversations, learning }: ToolRooms): Registration[] {
  return [
    ...searchTools(search),
    ...addingTools(memories),
    ...changingTools(memories),
    ...readingTools(memories),
    ...feedbackTools(learning),
    ...conversationTools(conversations),
  ];
}
