import { AppError } from '../../contract/errors.ts';
import {
  DEFAULT_EXTRACTED_DAYS,
  type ExtractedMemories,
  type MessagePortion,
  type PortionQuery,
  type StoredPortion,
} from '../../contract/extraction-portions.ts';
import type { Decision } from '../../contract/jobs.ts';
import type { Memory } from '../../contract/memories.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Database } from '../../db/open.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { ConversationRow, MessageReading } from '../conversations/conversations.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Principal } from '../keys/keys.ts';
import { createTenantLimiter } from '../limits/tenant-limiter.ts';
import { type Memories, toMemory } from '../memories/memories.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import type { Extractor } from './apply-proposals.ts';
import { findThrough, findUnread, updateThrough } from './extraction-store.ts';
import { digestOf, type PortionName, type PortionScope, parsePortionName, portionNameOf } from './portion-name.ts';
import { EXTRACTION_OUTPUT, type Extracted, promptOf } from './prompt.ts';
import { proposalsInSteps } from './proposals.ts';
import type { AddRelated } from './replaced.ts';
import { isShort, type Shown, type ShownChunks } from './shown-chunk.ts';
import type { Supersede } from './successions.ts';

/** Lets the model of an assistant extract memories: it reads what was said by portions, and what it extracts is stored. */
export interface Portions {
  /** The next messages of a user that memories were not extracted from. Throws `unavailable` if too many of the tenant wait. */
  next(principal: Principal, query: PortionQuery): Promise<MessagePortion>;
  /**
   * Stores what was extracted from a portion, by the rules of extraction; lets extracted memories supersede older ones,
   * each pair by itself; and reads the next portion. Throws `invalid_request` for a malformed name of a portion, `not_found` if its
   * conversation is gone, and `conflict` if anything that it shows has changed since.
   */
  store(principal: Principal, body: ExtractedMemories): Promise<StoredPortion>;
}

interface Parts {
  db: Database;
  clock: Clock;
  reading: Pick<MessageReading, 'requireConversation' | 'findConversation'>;
  chunks: ShownChunks;
  memories: Pick<Memories, 'findRowsWithin'>;
  addRelated: AddRelated;
  supersede: Supersede;
  jobs: Pick<Jobs, 'findOpen'>;
}

const NOTHING_LEFT: MessagePortion = { portion: null, conversationId: null, text: '' };
const DAY_MS = 86_400_000;
const MAX_WAITING = 16;

/** Stateless: the name of a portion identifies what was shown, and any daemon can store it. */
export function createPortions({ db, clock, reading, chunks, memories, addRelated, supersede, jobs }: Parts): Portions {
  const limiter = createTenantLimiter({ maxActive: 1, maxWaiting: MAX_WAITING, of: 'requests for messages to read' });

  /** Reads the next unread messages of a conversation, and passes those in which nobody says anything for good. */
  async function chunkOf(
    conversation: ConversationRow,
    toOrdinal: number,
  ): Promise<Pick<Shown, 'conversation' | 'range' | 'chunk'> | undefined> {
    const { tenantId, id: conversationId } = conversation;
    const reader = db.readers.of(tenantId);
    let read = await findThrough(reader, tenantId, conversationId);
    while (true) {
      const range = { fromOrdinal: read.throughOrdinal, partlyRead: read.partlyRead, toOrdinal, failures: 0 };
      const chunk = await chunks.read(reader, conversation, range);
      if (chunk.messages.length > 0) return { conversation, range, chunk };
      if (chunk.seen === 0) return undefined;
      read = chunk;
      await db.writes.write(tenantId, (connection) => updateThrough(connection, { tenantId, conversationId }, chunk));
    }
  }

  /** Finds what is known, in an order that does not depend on how well it matches, which other memories change. */
  async function knownOf({ conversation, chunk }: Pick<Shown, 'conversation' | 'chunk'>): Promise<Memory[]> {
    const known = await chunks.knownOf(conversation, chunk);
    return known.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  async function nextOf(
    tenantId: string,
    endUser: string,
    scope: PortionScope,
    fromId: string,
  ): Promise<MessagePortion> {
    const reader = db.readers.of(tenantId);
    const { project, afterMs } = scope;
    const filter = { tenantId, endUser, project: projectFilterOf({ project }, ''), afterMs };
    let from = fromId;
    while (true) {
      const id = await findUnread(reader, { ...filter, fromId: from });
      if (id === undefined) return NOTHING_LEFT;
      const conversation = await reading.findConversation(reader, tenantId, id);
      const found = conversation && (await chunkOf(conversation, conversation.lastOrdinal));
      if (found) {
        const shown = { ...found, known: await knownOf(found) };
        return { portion: portionNameOf(shown, scope), conversationId: id, text: promptOf(shown.chunk, shown.known) };
      }
      from = following(id);
    }
  }

  async function shownAs(tenantId: string, { conversationId, lastOrdinal, digest }: PortionName): Promise<Shown> {
    const reader = db.readers.of(tenantId);
    const conversation = await reading.requireConversation(reader, tenantId, conversationId);
    const found = await chunkOf(conversation, lastOrdinal);
    if (found === undefined) throw changed();
    const shown = { ...found, known: await knownOf(found) };
    if (digestOf(shown) !== digest) throw changed();
    return shown;
  }

  /** Finds memories of the user that the model refers to by id, because an earlier portion showed them. */
  async function referredTo(
    { tenantId, endUser }: ConversationRow,
    extracted: readonly Extracted[],
  ): Promise<Memory[]> {
    const reader = db.readers.of(tenantId);
    const ids = new Set(extracted.map(({ known }) => known.trim()).filter((known) => known.startsWith('mem_')));
    const rows = await memories.findRowsWithin(reader, tenantId, [...ids]);
    return rows.map(toMemory).filter((memory) => memory.user === endUser && isShort(memory));
  }

  async function storeShown(principal: Principal, shown: Shown, extracted: readonly Extracted[]): Promise<Decision[]> {
    const { tenantId } = principal;
    const { id: conversationId } = shown.conversation;
    const extractor = extractorOf(principal);
    const proposals = await runInSlices(proposalsInSteps(extracted, shown.chunk, shown.known), tenantId);
    return writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, async (connection) => {
        const { throughOrdinal, partlyRead } = await findThrough(connection, tenantId, conversationId);
        const { range } = shown;
        if (throughOrdinal > range.fromOrdinal || partlyRead !== range.partlyRead) throw changed();
        if (await jobs.findOpen(connection, { tenantId, conversationId, dryRun: 0 })) throw changed();
        const decisions = await chunks.apply(connection, shown, proposals, { extractor, terms });
        if (decisions === undefined) throw changed();
        return decisions;
      }),
    );
  }

  async function store(principal: Principal, body: ExtractedMemories): Promise<StoredPortion> {
    const { tenantId } = principal;
    const { portion, memories: given = [], replaced: pairs = [] } = body;
    if (portion === undefined) return { decisions: [], replaced: await supersede(tenantId, pairs) };
    const name = parsePortionName(portion);
    const shown = await shownAs(tenantId, name);
    const { memories: extracted } = EXTRACTION_OUTPUT.complete(given) as { memories: Extracted[] };
    const known = [...shown.known, ...(await referredTo(shown.conversation, extracted))];
    const decisions = await storeShown(principal, { ...shown, known }, extracted);
    const replaced = await supersede(tenantId, pairs);
    const next = await nextOf(tenantId, shown.conversation.endUser, name.scope, name.conversationId);
    return { decisions: await addRelated(tenantId, decisions, known), replaced, next };
  }

  return {
    next: ({ tenantId }, { user = 'default', project, after }) =>
      limiter.run(tenantId, () => {
        const afterMs = parseInstant(after, '/after') ?? clock.nowMs() - DEFAULT_EXTRACTED_DAYS * DAY_MS;
        return nextOf(tenantId, user, { project, afterMs: Math.max(0, afterMs) }, '');
      }),
    store: (principal, body) => limiter.run(principal.tenantId, () => store(principal, body)),
  };
}

/** The smallest text that is greater than an id. */
function following(id: string): string {
  return `${id}\u0001`;
}

function extractorOf({ client, author = null }: Principal): Extractor {
  const name = nameOfClient(client);
  return { client: name, author, isDryRun: false, source: name === null ? {} : { assistant: name } };
}

function changed(): AppError {
  return new AppError('conflict', 'What this portion shows has changed.');
}
