import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ConversationAppended } from '../../contract/conversations.ts';
import type { AppError, ErrorCode } from '../../contract/errors.ts';
import { factOf, fence, oneLine, quoted } from '../../contract/fence.ts';
import type { AddedMemory, ChangedMemory, Memory } from '../../contract/memories.ts';
import type { ContextAnswer, SearchAnswer, SearchResult } from '../../contract/search.ts';
import { speakerOf } from '../../contract/speaker.ts';

/** Text beside structured content is cut at this length; `memory_get` returns it all. */
const EXCERPT_LENGTH = 2000;
/** Enough to see whether a new fact replaces it. */
const RELATED_LENGTH = 300;
const SUPERSEDING_ADVICE =
  'If the new fact makes one of these out of date, call memory_add again with the same content and its id in supersedes.';

/** What to do about errors, by their codes. */
export type Advice = Partial<Record<ErrorCode, string>>;

const ADVICE: Advice = {
  invalid_request: 'Correct the arguments and call the tool again.',
  not_found: 'Look up the id with memory_search or memory_list; it may have been deleted.',
  conflict: 'Read the memory again with memory_get, then decide.',
  precondition_failed: 'Read the memory again with memory_get, then decide.',
  payload_too_large: 'Store less at once: one fact per memory.',
  quota_exceeded: 'Do not retry for now. Tell the user that the quota is used up.',
  rate_limited: 'Wait before the next call.',
  unavailable: 'Try again in a moment.',
  storage_full: 'Tell the user that the operator of this svc has to free disk space.',
};

/** Returns one whole memory, fenced. */
export function memoryText(memory: Memory, mark: string): string {
  return fence(`${memoryHeading(memory)}\n${quoted(memory.content)}`, mark);
}

/** Returns one line with a memory's id and metadata. */
function memoryHeading(memory: Memory & { space?: string }): string {
  const facts = [...placeOf(memory), `user ${factOf(memory.user)}`];
  if (memory.pinned) facts.unshift('pinned');
  if (memory.project !== null) facts.push(`project ${factOf(memory.project)}`);
  if (memory.tags.length > 0) facts.push(`tags ${memory.tags.map(factOf).join(', ')}`);
  facts.push(memory.occurredAt ? `of ${memory.occurredAt}` : `noted ${memory.createdAt}`);
  if (memory.saidAt) facts.push(`said again ${memory.saidAt}`);
  if (memory.author) facts.push(`by ${memory.author}`);
  if (memory.origin !== null) facts.push(`origin ${memory.origin}`);
  if (memory.expiresAt) facts.push(`expires ${memory.expiresAt}`);
  if (memory.validTo) facts.push(`valid until ${memory.validTo}`);
  if (memory.supersededBy) facts.push(`superseded by ${memory.supersededBy}`);
  return headingOf(memory.id, facts);
}

/** The search of each space, where several were read. Within the fence: any owner names a space. */
function searchLines({ searches = [] }: Pick<ContextAnswer, 'searches'>): string[] {
  if (searches.length < 2) return [];
  return searches.map(({ space, searchId }) => oneLine(`searchId ${searchId} is of what is in ${factOf(space)}`));
}

/** The space of a result, where several were read. */
function placeOf({ space }: { space?: string | undefined }): string[] {
  return space === undefined ? [] : [`in ${factOf(space)}`];
}

/** Origins are words of svc, and what people choose is quoted: see `factOf`. */
function headingOf(id: string, facts: readonly string[]): string {
  return oneLine(`[${id}] (${facts.join('; ')})`);
}

export function addedText(memory: AddedMemory, mark: string): string {
  const heading = memory.duplicate ? 'Already known, not added again:' : 'Remembered:';
  const notes = `${partlyIndexedNote(memory)}${redactedNote(memory)}`;
  const { related = [] } = memory;
  if (memory.duplicate || related.length === 0) return `${heading}\n${fence(excerptText(memory), mark)}${notes}`;
  const stored = related.map(({ id, content, occurredAt, createdAt, author }) => {
    const time = occurredAt ? `of ${occurredAt}` : `noted ${createdAt}`;
    return `${headingOf(id, author ? [time, `by ${author}`] : [time])}\n${excerptOf(content, RELATED_LENGTH)}`;
  });
  const text = [excerptText(memory), 'Stored before:', ...stored].join('\n');
  return `${heading}\n${fence(text, mark)}${notes}\n${SUPERSEDING_ADVICE}`;
}

export function changedText(memory: ChangedMemory, mark: string): string {
  return `Updated to version ${memory.version}:\n${fence(excerptText(memory), mark)}${partlyIndexedNote(memory)}${redactedNote(memory)}`;
}

/** Says that credentials were masked, so that the model does not try again. */
function redactedNote({ redacted = 0 }: { redacted?: number | undefined }): string {
  return redacted > 0 ? `\nMasked on purpose: credentials are not stored (${redacted}).` : '';
}

function partlyIndexedNote({ partlyIndexed }: { partlyIndexed?: true }): string {
  return partlyIndexed ? '\nIt is stored whole, but search covers only the beginning of its text.' : '';
}

export function pageText(page: { data: Memory[]; nextCursor: string | null }, mark: string): string {
  if (page.data.length === 0) return 'No memories.';
  const more = page.nextCursor ? [`There are more: call again with cursor ${page.nextCursor}`] : [];
  return [fence(page.data.map(excerptText).join('\n'), mark), ...more].join('\n');
}

export function searchText(answer: SearchAnswer, mark: string): string {
  if (answer.results.length === 0) return 'Nothing found. Try different words or fewer filters.';
  const results = answer.results.map((result, index) => {
    const newer = result.restatedBy ?? result.possiblySupersededBy;
    const older = newer === undefined ? '' : `older than ${newer} `;
    return `${index + 1}. score ${result.score.toFixed(3)} ${older}${resultText(result)}`;
  });
  return `${fence([...results, ...searchLines(answer)].join('\n'), mark)}\n${feedbackText(answer)}`;
}

function resultText(result: SearchResult): string {
  if (result.type === 'memory') return excerptText(result);
  const facts = [`${result.type}`, ...placeOf(result), `user ${factOf(result.user)}`];
  if (result.project !== null) facts.push(`project ${factOf(result.project)}`);
  if (result.conversationId) facts.push(`of ${result.conversationId}`);
  if (result.type === 'message') {
    const name = result.name === null ? null : factOf(result.name);
    facts.push(`said ${result.createdAt} by ${speakerOf({ ...result, name })}`);
    if (result.author) facts.push(`written by ${result.author}`);
  } else facts.push(`from ${result.startedAt} to ${result.endedAt}`);
  return `${headingOf(result.id, facts)}\n${excerptOf(result.content)}`;
}

function excerptText(memory: Memory & { space?: string }): string {
  return `${memoryHeading(memory)}\n${excerptOf(memory.content)}`;
}

export function appendedText({ conversationId, messageIds, partlyIndexed, redacted }: ConversationAppended): string {
  const count = messageIds.length === 1 ? '1 message' : `${messageIds.length} messages`;
  const note = partlyIndexed ? ' All of it is stored, but search covers only the beginning of some of it.' : '';
  return `Stored ${count} in ${conversationId}. Append later messages with this conversationId.${note}${redactedNote({ redacted })}`;
}

/** Formats a context with the ids of its citations, so that feedback, corrections and deletions can follow it. */
export function contextText(answer: ContextAnswer, mark: string): string {
  if (answer.text === '') return 'Nothing is remembered about this.';
  const sources = answer.citations.map(({ marker, id }) => `${marker} ${id}`).join(', ');
  return [fence([answer.text, ...searchLines(answer)].join('\n'), mark), sources, feedbackText(answer)].join('\n');
}

function feedbackText({ searchId, searches = [] }: Pick<ContextAnswer, 'searchId' | 'searches'>): string {
  if (searches.length > 1) return 'Each space has a searchId of its own (for memory_feedback), named above.';
  return searchId === null ? 'no searchId: nothing was searched' : `searchId ${searchId} (for memory_feedback)`;
}

/** Formats an error so that an assistant can act on it: its code, what is wrong and what to do. */
export function refusalText({ code, message, options }: AppError, advice: Advice = {}): string {
  const { errors = [], retryAfterSeconds } = options;
  const lines = [
    `${code}: ${message}`,
    // A single field error is already in the message.
    ...(errors.length > 1 ? errors.map((fault) => `${fault.path}: ${fault.message}`) : []),
    ...(retryAfterSeconds ? [`Retry after ${retryAfterSeconds} s.`] : []),
    advice[code] ?? ADVICE[code] ?? '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** The text for an unexpected error: it reveals nothing but the request id, which leads to the log entry. */
export function failureText(requestId: string): string {
  return `internal: an error occurred inside svc; your arguments did not cause it. Try once more. If it fails again, tell the user to report this to the operator of svc, with request id ${requestId}.`;
}

/** Builds a tool result that reports an error. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function excerptOf(content: string, length = EXCERPT_LENGTH): string {
  if (content.length <= length) return quoted(content);
  const head = content.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  return `${quoted(head)}…\n(${content.length} characters in total; memory_get returns them all)`;
}
