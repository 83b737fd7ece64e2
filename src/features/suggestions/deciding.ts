import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Acceptance, DecidedSuggestions, Suggestion, SuggestionDecision } from '../../contract/suggestions.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Adder, Memories } from '../memories/memories.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import { type Applied, applySuggestion, undoApplied } from './acceptance.ts';
import { textsHashOf } from './suggesting.ts';
import { aboutOf, etagOfSuggestion, noSuggestion, toSuggestion } from './suggestion-answers.ts';
import { deleteOtherItems, findSuggestion, type SuggestionRow, updateDecision } from './suggestions-store.ts';

/** Decides suggestions, each in its own transaction. */
export interface Deciding {
  /** Applies a suggestion. Throws `conflict` if it is not open, or if what it is about has changed. */
  accept(principal: Principal, id: string, acceptance: Acceptance, ifMatch?: string): Promise<Suggestion>;
  /** Applies a suggestion for an account that wants that, if `isAllowed` in the same transaction. Throws like `accept`. */
  acceptAutomatically(tenantId: string, id: string, isAllowed: IsAllowed): Promise<void>;
  reject(principal: Principal, id: string, ifMatch?: string): Promise<Suggestion>;
  /** Opens a decided suggestion again; what accepting changed is as before. Throws `conflict` if that cannot be. */
  undo(principal: Principal, id: string, ifMatch?: string): Promise<Suggestion>;
  /** Decides each separately: one that cannot be decided is answered with its error. */
  decide(principal: Principal, decisions: readonly SuggestionDecision[]): Promise<DecidedSuggestions>;
}

/** Who decided what nobody did. */
export const AUTOMATIC = 'svc';
const DAY_MS = 24 * 3_600_000;
const UNDO_DAYS = 30;

interface Parts {
  db: Database;
  clock: Clock;
  idempotency: Pick<Idempotency, 'redact'>;
  memories: Memories;
  reading: Pick<MessageReading, 'findMessages'>;
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
}

/** Whether a suggestion, as the transaction that would accept it sees it, may be accepted automatically. */
export type IsAllowed = (connection: Connection, suggestion: SuggestionRow) => Promise<boolean>;

/** Who decides a suggestion, and whose quota counts what it adds. */
type Decider = Adder & { decidedBy: string; isAllowed?: IsAllowed };

/** Decides suggestions; what accepting does to memories is in `acceptance.ts`. */
export function createDeciding({ db, clock, idempotency, memories, reading, tierOf }: Parts): Deciding {
  async function decideWithin(
    connection: Connection,
    tenantId: string,
    id: string,
    ifMatch: string | undefined,
    decision: (row: SuggestionRow, suggestion: Suggestion) => Promise<Partial<SuggestionRow>>,
  ): Promise<Suggestion> {
    const row = await findSuggestion(connection, tenantId, id);
    if (!row) throw noSuggestion();
    const suggestion = toSuggestion(row);
    requireMatch(ifMatch, etagOfSuggestion(suggestion), 'suggestion');
    const changed = { ...row, ...(await decision(row, suggestion)) };
    await updateDecision(connection, changed);
    return toSuggestion(changed);
  }

  function decided(decidedBy: string, state: 'accepted' | 'rejected', applied: Applied | null) {
    return { state, decidedAt: clock.nowMs(), decidedBy, applied: applied && JSON.stringify(applied) };
  }

  const acceptFor = (
    { decidedBy, isAllowed, ...adder }: Decider,
    id: string,
    acceptance: Acceptance,
    ifMatch?: string,
  ) => {
    const { tenantId } = adder;
    const texts = acceptance.content === undefined ? [] : [[acceptance.content]];
    return writeWithTerms(tenantId, texts, (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, tenantId, id, ifMatch, async (row, suggestion) => {
          requireOpen(suggestion);
          if (isAllowed && !(await isAllowed(connection, row))) {
            throw new AppError('conflict', 'The suggestion may not be accepted automatically any more.');
          }
          // Before the memories: their change makes suggestions outdated that are still open.
          await updateDecision(connection, { ...row, ...decided(decidedBy, 'accepted', null) });
          const applying = { memories, reading, nowMs: clock.nowMs(), terms };
          const applied = await applySuggestion(connection, applying, adder, suggestion, acceptance);
          // It would survive the erasure of what was added.
          await idempotency.redact(connection, tenantId, [id]);
          return decided(decidedBy, 'accepted', applied);
        }),
      ),
    );
  };

  /** Throws `conflict` if what a rejected suggestion is about says something else by now: accepting it would overwrite that. */
  async function requireSameTexts(
    connection: Connection,
    { tenantId, endUser, kind, content, memoryIds, textsHash }: SuggestionRow,
  ): Promise<void> {
    const about = await memories.findRowsWithin(connection, tenantId, JSON.parse(memoryIds) as string[]);
    if (textsHashOf(endUser, { kind, content: content ?? undefined }, about) === textsHash) return;
    throw new AppError(
      'conflict',
      'A memory of this suggestion was changed or erased after the suggestion was rejected.',
    );
  }

  const accept: Deciding['accept'] = (principal, id, acceptance, ifMatch) =>
    acceptFor({ ...principal, decidedBy: deciderOf(principal) }, id, acceptance, ifMatch);

  const reject: Deciding['reject'] = (principal, id, ifMatch) =>
    db.writes.write(principal.tenantId, (connection) =>
      decideWithin(connection, principal.tenantId, id, ifMatch, async (_row, suggestion) => {
        requireOpen(suggestion);
        return decided(deciderOf(principal), 'rejected', null);
      }),
    );

  const undo: Deciding['undo'] = ({ tenantId }, id, ifMatch) => {
    return writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, tenantId, id, ifMatch, async (row) => {
          const { state, decidedAt, applied } = row;
          if (state !== 'accepted' && state !== 'rejected') {
            throw new AppError('conflict', 'Nothing is to be undone: the suggestion is not decided.');
          }
          const nowMs = clock.nowMs();
          if (nowMs - decidedAt! > UNDO_DAYS * DAY_MS) {
            throw new AppError('conflict', `A decision can be undone for ${UNDO_DAYS} days.`);
          }
          if (applied !== null) {
            // Before what was added is removed: that is no erasure, and the suggestion keeps its texts.
            await deleteOtherItems(connection, row, aboutOf(row));
            await undoApplied(
              connection,
              { memories, reading, nowMs, terms },
              tenantId,
              JSON.parse(applied) as Applied,
            );
          } else await requireSameTexts(connection, row);
          return { state: 'open', decidedAt: null, decidedBy: null, applied: null, undoneAt: nowMs };
        }),
      ),
    );
  };

  return {
    accept,
    async acceptAutomatically(tenantId, id, isAllowed) {
      const tier = await tierOf(db.lookups, tenantId);
      if (tier !== undefined) await acceptFor({ tenantId, tier, decidedBy: AUTOMATIC, isAllowed }, id, {});
    },
    reject,
    undo,
    async decide(principal, decisions) {
      const data: DecidedSuggestions['data'] = [];
      for (const { id, decision, ...acceptance } of decisions) {
        const work = {
          accept: () => accept(principal, id, acceptance),
          reject: () => reject(principal, id),
          undo: () => undo(principal, id),
        };
        try {
          data.push({ id, suggestion: await work[decision](), error: null });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          data.push({ id, suggestion: null, error: { code: error.code, message: error.message } });
        }
      }
      return { data };
    },
  };
}

function deciderOf({ author, client, credential }: Principal): string {
  return author ?? nameOfClient(client) ?? credential.kind;
}

function requireOpen({ state }: Suggestion): void {
  if (state === 'open') return;
  const why = state === 'outdated' ? 'is outdated: what it is about has changed' : `was ${state} already`;
  throw new AppError('conflict', `The suggestion ${why}.`);
}
