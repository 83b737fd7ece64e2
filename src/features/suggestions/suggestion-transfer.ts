import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableSuggestion } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Memories, MemoryRow } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { Applied } from './acceptance.ts';
import { MAX_OPEN, requireShape, textsHashOf } from './suggesting.ts';
import { aboutOf, toSuggestion } from './suggestion-answers.ts';
import {
  countOpen,
  findSuggested,
  findSuggestionsById,
  insertItems,
  insertSuggestions,
  listDecidable,
  type SuggestionRow,
} from './suggestions-store.ts';

/** A page of suggestions to export. */
interface SuggestionPage {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Exports and imports suggestions that are open or decided. */
export interface SuggestionTransfer {
  /** Reads one page, in the order of ids. */
  read(reader: Reader, page: SuggestionPage): Promise<PortableSuggestion[]>;
  /** Converts an exported suggestion for storage. Throws `invalid_request`. */
  draftOf(tenantId: string, suggestion: PortableSuggestion): SuggestionRow;
  /**
   * Imports in the caller's transaction, after the memories and messages, and returns an outcome for each draft: `known` for
   * one whose id or texts are known. Left out are those about what is not there, or is another user's.
   */
  restore(connection: Connection, drafts: readonly SuggestionRow[]): Promise<ImportOutcome[]>;
}

const NOT_THERE = {
  reason: 'is about a memory or message that is not there, or of another user',
  fault: true,
} as const;
const CHANGED = { reason: 'left out: a memory that it is about has changed since', fault: false } as const;
const TOO_MANY = { reason: `more than ${MAX_OPEN} suggestions would be open`, fault: true } as const;

/** The memories and messages that drafts name. */
interface Named {
  memories: ReadonlyMap<string, MemoryRow>;
  /** The user of each memory and message. */
  users: ReadonlyMap<string, string>;
}

/** Suggestions keep their ids and what they are identified by, so that what was rejected is not suggested again. */
export function createSuggestionTransfer({
  memories,
  reading,
  scopes,
}: {
  memories: Pick<Memories, 'findRowsWithin'>;
  reading: Pick<MessageReading, 'findMessages'>;
  scopes: Pick<Scopes, 'ensure'>;
}): SuggestionTransfer {
  /** Finds the memories and messages that drafts name, by their ids. */
  async function findNamed(connection: Connection, tenantId: string, drafts: readonly SuggestionRow[]): Promise<Named> {
    const ids = [...new Set(drafts.flatMap(itemsOf))];
    const memoryIds = ids.filter((id) => !isMessage(id));
    const memoryRows = await memories.findRowsWithin(connection, tenantId, memoryIds);
    const messages = await reading.findMessages(connection, tenantId, ids.filter(isMessage));
    return {
      memories: new Map(memoryRows.map((row) => [row.id, row])),
      users: new Map([...memoryRows, ...messages].map(({ id, endUser }) => [id, endUser])),
    };
  }

  return {
    async read(reader, page) {
      return (await listDecidable(reader, page)).map((row) => ({
        type: 'suggestion',
        ...toSuggestion(row),
        state: row.state as PortableSuggestion['state'],
        textsHash: row.textsHash,
        applied: row.applied === null ? null : (JSON.parse(row.applied) as Applied),
      }));
    },
    draftOf(tenantId, given) {
      const { user, project, content, evidence, memoryIds, confidence, reason, kind, state, id, textsHash } = given;
      requireShape({ kind, content: content ?? undefined }, memoryIds.length, '');
      requireConsistent(given);
      const at = (time: string | null, path: string) => parseInstant(time ?? undefined, path) ?? null;
      return {
        ...{ tenantId, id, textsHash, endUser: user, project, kind, state, content, reason, confidence },
        memoryIds: JSON.stringify(memoryIds),
        validFrom: at(given.validFrom, '/validFrom'),
        evidence: JSON.stringify(evidence),
        ...{ suggester: given.by, suggesterName: given.byName },
        createdAt: at(given.createdAt, '/createdAt')!,
        ...{ decidedAt: at(given.decidedAt, '/decidedAt'), decidedBy: given.decidedBy },
        undoneAt: at(given.undoneAt, '/undoneAt'),
        applied: given.applied && JSON.stringify(given.applied),
      };
    },
    async restore(connection, drafts) {
      if (drafts.length === 0) return [];
      const { tenantId } = drafts[0]!;
      const named = await findNamed(connection, tenantId, drafts);
      const hashes = drafts.map(({ textsHash }) => textsHash);
      const ids = drafts.map(({ id }) => id);
      const stored = [
        ...(await findSuggested(connection, tenantId, hashes)),
        ...(await findSuggestionsById(connection, tenantId, ids)),
      ];
      const known = new Set(stored.flatMap(({ id, textsHash }) => [id, textsHash]));
      let room = MAX_OPEN - (await countOpen(connection, tenantId, MAX_OPEN));
      const added: SuggestionRow[] = [];
      const outcomes = drafts.map((draft): ImportOutcome => {
        if (known.has(draft.id) || known.has(draft.textsHash)) return 'known';
        if (itemsOf(draft).some((id) => named.users.get(id) !== draft.endUser)) return NOT_THERE;
        if (draft.state === 'open' && !isUnchanged(draft, named)) return CHANGED;
        if (draft.state === 'open' && room-- <= 0) return TOO_MANY;
        for (const name of [draft.id, draft.textsHash]) known.add(name);
        added.push(draft);
        return 'added';
      });
      await scopes.ensure(connection, added);
      await insertSuggestions(connection, added);
      const items = added.flatMap((draft) =>
        itemsOf(draft).map((itemId) => ({ tenantId, itemId, suggestionId: draft.id })),
      );
      await insertItems(connection, items);
      return outcomes;
    },
  };
}

/** The memories and messages that a suggestion is about, and the memories that accepting it added. */
function itemsOf(draft: SuggestionRow): string[] {
  const { added } = draft.applied === null ? { added: [] } : (JSON.parse(draft.applied) as Applied);
  return [...aboutOf(draft), ...added.map(({ id }) => id)];
}

/** Whether the memories of a suggestion are valid and say what they said when it was made. */
function isUnchanged({ endUser, kind, content, textsHash, memoryIds }: SuggestionRow, { memories }: Named): boolean {
  const about = (JSON.parse(memoryIds) as string[]).map((id) => memories.get(id)!);
  if (about.some(({ validTo }) => validTo !== null)) return false;
  return textsHash === textsHashOf(endUser, { kind, content: content ?? undefined }, about);
}

function isMessage(id: string): boolean {
  return id.startsWith('msg_');
}

/** Throws `invalid_request` for evidence, a decision, or applied changes that svc does not store for such a suggestion. */
function requireConsistent({
  kind,
  memoryIds,
  evidence,
  state,
  decidedAt,
  decidedBy,
  applied,
}: PortableSuggestion): void {
  const about = new Set(memoryIds);
  for (const [index, { id }] of evidence.entries()) {
    if (!isMessage(id) && !about.has(id)) {
      throw refused(`/evidence/${index}/id`, 'names neither a memory of the suggestion nor a message');
    }
  }
  const isDecided = state !== 'open';
  if ((decidedAt !== null) !== isDecided || (decidedBy !== null) !== isDecided) {
    throw refused('/decidedAt', `and decidedBy do not match the state ${state}`);
  }
  if ((applied !== null) !== (state === 'accepted')) throw refused('/applied', `does not match the state ${state}`);
  const { changed, closed, added } = applied ?? { changed: [], closed: [], added: [] };
  if ([...changed, ...closed].some(({ id }) => !about.has(id))) {
    throw refused('/applied', 'names a memory that the suggestion is not about');
  }
  const addsMemories = kind === 'add' || kind === 'split';
  if (added.some(({ id }) => about.has(id)) || (added.length > 0 && !addsMemories)) {
    throw refused('/applied/added', `names a memory that a suggestion of the kind ${kind} does not add`);
  }
  const ids = [...changed, ...closed, ...added].map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw refused('/applied', 'names a memory twice');
}

function refused(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}.`, { errors: [{ path, message }] });
}
