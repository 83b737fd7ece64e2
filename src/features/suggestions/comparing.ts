import { lastSaid, type Memory } from '../../contract/memories.ts';
import { mayReplace } from '../../contract/origin.ts';
import type { NewSuggestion } from '../../contract/suggestions.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Memories } from '../memories/memories.ts';
import type { RelatedMemories } from '../search/related-memories.ts';
import type { Topics } from '../topics/topics.ts';
import { relatedBy } from '../words/same-meaning.ts';
import type { Words } from '../words/words.ts';
import { isAboutOneself } from './about-oneself.ts';
import {
  type Compared,
  countMemoriesAfter,
  countUncompared,
  deleteCompared,
  listChangesToCompare,
  listMemoryIdsAfter,
  listTenantsToCompare,
  saveCompared,
} from './compared-memories-store.ts';
import { MAX_COMPARED_CHARACTERS, queriesFor, type Relation, relationOf } from './pair-rules.ts';
import { createPassedTimes, type PassedTimes } from './passed-times.ts';
import { deletePassingOf } from './passing-memories-store.ts';
import { type ReadStatement, readStatement } from './read-statement.ts';
import { factsInSteps } from './said-facts.ts';
import type { AreRelated } from './same-statement.ts';
import { separateStatementsIn } from './separate-statements.ts';
import type { Suggestions } from './suggestions.ts';

/** Reads new and changed memories: what they are about, and what the rules suggest about them and those like them. */
export interface Comparing extends Pick<PassedTimes, 'followPassed'> {
  /** Compares memories of the tenants that have some to compare, in turn, for about a second. Returns whether any were left. */
  follow(): Promise<boolean>;
  /** Counts changes, and memories while all are read, that were not read yet. */
  countUnread(tenantId: string): Promise<number>;
  erase(owner: { tenantId: string; endUser?: string }): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  words: Words;
  memories: Pick<Memories, 'findWithin'>;
  reading: Pick<MessageReading, 'findConversation' | 'readMessages'>;
  related: RelatedMemories;
  suggestions: Pick<Suggestions, 'suggest' | 'withoutKnown'>;
  topics: Pick<Topics, 'read'>;
}

/** Tenants and memories of each in one run: between them, others have their turn. */
const TENANTS = 50;
const PORTION = 25;
/** Messages of a conversation that are read when it got further ones. */
const MESSAGES = 50;
/** Longer messages are pasted. */
const MAX_READ_CHARACTERS = 8000;
/** How long a run begins further portions: a tenth of the time between two. */
const RUN_MS = 1000;
const BY_RULES = { suggester: 'rules', name: null } as const;

/**
 * A memory is compared with its nearest neighbors only, which the index finds, so that it costs the same in a large store.
 * The progress is stored with each portion: what a crash interrupts is compared again, and found suggestions are known.
 */
export function createComparing({
  db,
  clock,
  log,
  words,
  memories,
  reading,
  related,
  suggestions,
  topics,
}: Parts): Comparing {
  const passed = createPassedTimes({ db, clock, log, memories, suggest });
  /** The last one that had its turn: the next run goes on with those after it. */
  let lastTenant = '';

  /** Suggests what the rules find in a memory, and stores when to look at it again. */
  async function lookAt(tenantId: string, id: string): Promise<void> {
    const memory = await memories.findWithin(db.readers.of(tenantId), tenantId, id);
    if (!memory) return;
    await suggest(tenantId, [...(await compareOne(tenantId, memory)), ...splitOf(memory)]);
    await passed.lookAt(tenantId, memory);
  }

  async function compareOne(tenantId: string, memory: Memory): Promise<NewSuggestion[]> {
    if (!isComparable(memory)) return [];
    const owner = { tenantId, endUser: memory.user, project: memory.project };
    const others = (await related(owner, queriesFor(memory.content)))
      .filter(({ id }) => id !== memory.id)
      .filter(isComparable);
    const areRelated = relatedBy(await words.table());
    return runInSlices(suggestionsFor(memory, others, areRelated), tenantId);
  }

  /** Suggests what a person said in the newest messages of a conversation, unless a memory says it already. */
  async function readOne(tenantId: string, id: string): Promise<NewSuggestion[]> {
    const reader = db.readers.of(tenantId);
    const conversation = await reading.findConversation(reader, tenantId, id);
    if (!conversation) return [];
    const page = { order: 'newest', beyond: Number.MAX_SAFE_INTEGER, limit: MESSAGES } as const;
    const messages = await reading.readMessages(reader, conversation, page);
    const { endUser: user, project } = conversation;
    const said = await runInSlices(
      factsSaid(
        messages.filter(({ role }) => role === 'user'),
        { user, ...(project !== null && { project }) },
      ),
      tenantId,
    );
    const areRelated = relatedBy(await words.table());
    const current = await runInSlices(withoutReplaced(said, areRelated), tenantId);
    const fresh = await suggestions.withoutKnown(tenantId, current);
    const unknown: NewSuggestion[] = [];
    for (const suggestion of fresh) {
      const others = await related({ tenantId, endUser: user, project }, [suggestion.content!]);
      const read = readStatement(suggestion.content!);
      const isKnown = others.some(
        ({ content }) => relationOf(read, readStatement(content), areRelated)?.kind === 'merge',
      );
      if (!isKnown) unknown.push(suggestion);
    }
    return unknown;
  }

  /** Finds the next memories of a tenant and the progress after them. */
  async function nextOf({
    tenantId,
    changeNumber,
    afterId,
    last,
    remaining,
  }: Progress): Promise<{ ids: string[]; conversationIds: string[]; next: Compared }> {
    const reader = db.readers.of(tenantId);
    if (afterId === null) {
      const after = changeNumber ?? 0;
      const changes = await listChangesToCompare(reader, tenantId, after, PORTION);
      // The log is trimmed: what is missing may be any memory.
      if (changes.length === 0 || changes[0]!.number === after + 1) {
        const idsOf = (kind: 'memory' | 'conversation') => [
          ...new Set(changes.flatMap(({ of, itemId }) => (of === kind && itemId !== null ? [itemId] : []))),
        ];
        return {
          ids: idsOf('memory'),
          conversationIds: idsOf('conversation'),
          next: { tenantId, changeNumber: changes.at(-1)?.number ?? last, afterId: null, remaining: 0 },
        };
      }
    }
    const ids = await listMemoryIdsAfter(reader, tenantId, afterId ?? '', PORTION);
    const isDone = ids.length < PORTION;
    // Counted once; what is added meanwhile is a change.
    const left = remaining || (await countMemoriesAfter(reader, tenantId, afterId ?? ''));
    // Changes since the first portion are looked at afterwards.
    const since = afterId === null || changeNumber === null ? last : changeNumber;
    const next = isDone
      ? { tenantId, changeNumber: since, afterId: null, remaining: 0 }
      : { tenantId, changeNumber: since, afterId: ids.at(-1)!, remaining: Math.max(1, left - ids.length) };
    return { ids, conversationIds: [], next };
  }

  async function suggest(tenantId: string, found: readonly NewSuggestion[]): Promise<void> {
    if (found.length > 0) await suggestions.suggest(tenantId, BY_RULES, found);
  }

  async function compareSome(progress: Progress): Promise<void> {
    const { tenantId } = progress;
    const { ids, conversationIds, next } = await nextOf(progress);
    await topics.read(tenantId, ids);
    // Stored one by one: a portion may be about more than one transaction takes.
    for (const id of ids) await lookAt(tenantId, id);
    for (const id of conversationIds) await suggest(tenantId, await readOne(tenantId, id));
    await db.writes.write(tenantId, (connection) => saveCompared(connection, next));
  }

  return {
    followPassed: passed.followPassed,
    async follow() {
      const untilMs = clock.monotonicMs() + RUN_MS;
      const failed = new Set<string>();
      let isWholeRound = lastTenant === '';
      let hasCompared = false;
      for (;;) {
        const tenants = await listTenantsToCompare(db.readers, lastTenant, TENANTS);
        for (const progress of tenants) {
          lastTenant = progress.tenantId;
          if (failed.has(lastTenant)) continue;
          await compareSome(progress).catch((error: unknown) => {
            failed.add(progress.tenantId);
            log.warn({ error, tenantId: progress.tenantId }, 'could not compare the memories of an account');
          });
          hasCompared = true;
          if (clock.monotonicMs() >= untilMs) return true;
        }
        if (tenants.length === TENANTS) continue;
        lastTenant = '';
        if (isWholeRound && !hasCompared) return false;
        isWholeRound = true;
        hasCompared = false;
      }
    },
    countUnread: (tenantId) => countUncompared(db.lookups, tenantId),
    async erase({ tenantId, endUser }) {
      if (endUser !== undefined) return;
      await db.writes.write(tenantId, async (connection) => {
        await deleteCompared(connection, tenantId);
        await deletePassingOf(connection, tenantId);
      });
    },
  };
}

type Progress = Awaited<ReturnType<typeof listTenantsToCompare>>[number];

function* factsSaid(
  messages: readonly { id: string; content: string; createdAt: number }[],
  owner: Pick<NewSuggestion, 'user' | 'project'>,
): Generator<void, NewSuggestion[]> {
  const found: NewSuggestion[] = [];
  for (const { id, content, createdAt } of messages) {
    if (content.length > MAX_READ_CHARACTERS) continue;
    for (const { text, confidence } of yield* factsInSteps(content)) {
      const evidence = [{ id, text }];
      const said = { kind: 'add', content: text, evidence, validFrom: toTimestamp(createdAt), confidence } as const;
      const { project, ...user } = owner;
      const of = isAboutOneself(text) ? user : owner;
      found.push({ ...said, ...of, reason: 'You said so in a conversation.' });
    }
    yield;
  }
  return found;
}

/** Leaves out what a later message of the conversation replaces. */
function* withoutReplaced(said: readonly NewSuggestion[], areRelated: AreRelated): Generator<void, NewSuggestion[]> {
  const stated = said.map((suggestion) => ({ suggestion, read: readStatement(suggestion.content!) }));
  const kept: NewSuggestion[] = [];
  for (const older of stated) {
    const isReplaced = stated.some(
      (newer) =>
        isSaidLater(newer.suggestion, older.suggestion) &&
        relationOf(newer.read, older.read, areRelated)?.kind === 'supersede',
    );
    if (!isReplaced) kept.push(older.suggestion);
    yield;
  }
  return kept;
}

/** Of two messages from the same time, that with the later id. */
function isSaidLater(one: NewSuggestion, other: NewSuggestion): boolean {
  const idOf = ({ evidence = [] }: NewSuggestion) => evidence[0]?.id ?? '';
  return one.validFrom === other.validFrom ? idOf(one) > idOf(other) : one.validFrom! > other.validFrom!;
}

function isComparable({ content, validTo }: Memory): boolean {
  return validTo === null && content.length <= MAX_COMPARED_CHARACTERS && !content.includes('?');
}

/** One of another system is changed there: a file of a program would be gone, or say something else. */
function isOwn({ externalId }: Memory): boolean {
  return externalId === null;
}

function splitOf(memory: Memory): NewSuggestion[] {
  const { id, content, validTo } = memory;
  const lines = validTo === null && isOwn(memory) ? separateStatementsIn(content) : undefined;
  if (!lines) return [];
  const memoryIds = [id];
  const evidence = [{ id, text: content }];
  const reason = 'It says several things that do not need each other.';
  return [{ kind: 'split', memoryIds, content: lines.join('\n'), evidence, reason, confidence: 0.7 }];
}

/** A memory with its statement. */
interface Stated {
  memory: Memory;
  read: ReadStatement;
}

function* suggestionsFor(
  memory: Memory,
  others: readonly Memory[],
  areRelated: AreRelated,
): Generator<void, NewSuggestion[]> {
  const own = { memory, read: readStatement(memory.content) };
  const found: NewSuggestion[] = [];
  for (const one of others) {
    yield;
    const other = { memory: one, read: readStatement(one.content) };
    const [newer, older] = isNewer(memory, one) ? [own, other] : [other, own];
    const relation = relationOf(newer.read, older.read, areRelated);
    const { project } = newer.memory;
    const isWithin =
      relation?.kind === 'merge' ? isOwn(memory) && isOwn(one) : project === null || project === older.memory.project;
    if (relation && isWithin && mayReplace(newer.memory.origin, older.memory.origin)) {
      found.push(suggestionOf(relation, newer, older));
    }
  }
  return found;
}

/** Of two from the same time, that with the later id. */
function isNewer(one: Memory, other: Memory): boolean {
  return timeOf(one) === timeOf(other) ? one.id > other.id : timeOf(one) > timeOf(other);
}

/** What a relation suggests: of two that say the same the longer text; where the times do not decide, a person does. */
function suggestionOf({ kind, reason, confidence }: Relation, newer: Stated, older: Stated): NewSuggestion {
  const about = [older.memory, newer.memory];
  const memoryIds = about.map(({ id }) => id);
  const evidence = about.map(({ id, content }) => ({ id, text: content }));
  const [before, now] = about.map(({ content }) => content) as [string, string];
  if (kind === 'merge') {
    const content = now.length >= before.length ? now : before;
    return { kind, memoryIds, content, evidence, reason, confidence };
  }
  if (timeOf(newer.memory) === timeOf(older.memory)) {
    return { kind: 'contradiction', memoryIds, evidence, reason: 'Both were said at the same time.', confidence };
  }
  const content = sharesWords(newer.read, older.read) ? {} : { content: withBefore(now, before) };
  return { kind, memoryIds, ...content, validFrom: toTimestamp(timeOf(newer.memory)), evidence, reason, confidence };
}

/** Whether a question that finds one by its words may find the other. */
function sharesWords(one: ReadStatement, other: ReadStatement): boolean {
  return [...one.roots.keys()].some((root) => other.roots.has(root));
}

/** The newer text with the older one, by whose words it is found: "I moved to Graz (before: I live in Linz)". */
function withBefore(newer: string, older: string): string {
  return `${newer.replace(/[.\s]+$/, '')} (before: ${older.replace(/[.\s]+$/, '')})`;
}

function timeOf(memory: Memory): number {
  return Date.parse(lastSaid(memory));
}
