import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableSuggestion } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Memories } from '../memories/memories.ts';
import type { Applied } from './acceptance.ts';
import { MAX_OPEN } from './suggesting.ts';
import { toSuggestion } from './suggestion-answers.ts';
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
export interface SuggestionPage {
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

/** A memory or message that a suggestion is about. */
interface About {
  endUser: string;
  validTo?: number | null;
}

const NOT_THERE = {
  reason: 'is about a memory or message that is not there, or of another user',
  fault: true,
} as const;
const NOT_VALID = { reason: 'is about a memory that is no longer valid', fault: false } as const;
const TOO_MANY = { reason: `more than ${MAX_OPEN} suggestions would be open`, fault: true } as const;

/** Suggestions keep their ids and what they are identified by, so that what was rejected is not suggested again. */
export function createSuggestionTransfer({
  memories,
  reading,
}: {
  memories: Pick<Memories, 'findRowsWithin'>;
  reading: Pick<MessageReading, 'findMessages'>;
}): SuggestionTransfer {
  /** Memories and messages by their ids: whose they are, and until when a memory is valid. */
  async function findAbout(connection: Connection, drafts: readonly SuggestionRow[]): Promise<Map<string, About>> {
    const tenantId = drafts[0]!.tenantId;
    const ids = [...new Set(drafts.flatMap((draft) => [...aboutOf(draft), ...appliedIdsOf(draft)]))];
    const isMessage = (id: string) => id.startsWith('msg_');
    const found = [
      ...(await memories.findRowsWithin(
        connection,
        tenantId,
        ids.filter((id) => !isMessage(id)),
      )),
      ...(await reading.findMessages(connection, tenantId, ids.filter(isMessage))),
    ];
    return new Map(found.map((one) => [one.id, one]));
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
      if ((state === 'accepted') !== (given.applied !== null)) {
        throw new AppError('invalid_request', 'What was applied belongs to an accepted suggestion, and only there.');
      }
      const about = new Set(memoryIds);
      const { changed = [], closed = [] } = given.applied ?? {};
      if ([...changed, ...closed].some((one) => !about.has(one.id))) {
        throw new AppError('invalid_request', 'applied changes a memory that the suggestion is not about.');
      }
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
      const found = await findAbout(connection, drafts);
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
        const about = [...aboutOf(draft), ...appliedIdsOf(draft)];
        if (about.some((id) => found.get(id)?.endUser !== draft.endUser)) return NOT_THERE;
        if (draft.state === 'open' && about.some((id) => (found.get(id)?.validTo ?? null) !== null)) return NOT_VALID;
        if (draft.state === 'open' && room-- <= 0) return TOO_MANY;
        for (const name of [draft.id, draft.textsHash]) known.add(name);
        added.push(draft);
        return 'added';
      });
      await insertSuggestions(connection, added);
      const items = added.flatMap((draft) =>
        aboutOf(draft).map((itemId) => ({ tenantId, itemId, suggestionId: draft.id })),
      );
      await insertItems(connection, items);
      return outcomes;
    },
  };
}

/** The memories and messages that a suggestion is about. */
function aboutOf({ memoryIds, evidence }: SuggestionRow): string[] {
  const cited = (JSON.parse(evidence) as { id: string }[]).map(({ id }) => id);
  return [...new Set([...(JSON.parse(memoryIds) as string[]), ...cited])];
}

/** The memories that accepting it changed, closed or added. */
function appliedIdsOf({ applied }: SuggestionRow): string[] {
  if (applied === null) return [];
  const { changed, closed, added } = JSON.parse(applied) as Applied;
  return [...changed, ...closed, ...added].map(({ id }) => id);
}
