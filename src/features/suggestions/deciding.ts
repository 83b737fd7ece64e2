import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Acceptance, DecidedSuggestions, Suggestion, SuggestionDecision } from '../../contract/suggestions.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Adder, Memories } from '../memories/memories.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import { type Applied, applySuggestion, undoApplied } from './acceptance.ts';
import { textsHashOf } from './suggesting.ts';
import { aboutOf, etagOfSuggestion, noSuggestion, toSuggestion } from './suggestion-answers.ts';
import { deleteOtherItems, findSuggestion, type SuggestionRow, updateDecision } from './suggestions-store.ts';

/** Decides suggestions, each in its own transaction. A decision that is repeated by its claim answers with the suggestion as it is now. */
export interface Deciding {
  /** Applies a suggestion. Throws `conflict` if it is not open, or if what it is about has changed. */
  acceptOnce(
    principal: Principal,
    id: string,
    acceptance: Acceptance,
    conditions: Conditions,
  ): Promise<Created<Suggestion>>;
  /** Applies a suggestion for an account that wants that, if `isAllowed` in the same transaction. Throws like `acceptOnce`. */
  acceptAutomatically(tenantId: string, id: string, isAllowed: IsAllowed): Promise<void>;
  rejectOnce(principal: Principal, id: string, conditions: Conditions): Promise<Created<Suggestion>>;
  /** Opens a decided suggestion again; what accepting changed is as before. Throws `conflict` if that cannot be. */
  undoOnce(principal: Principal, id: string, conditions: Conditions): Promise<Created<Suggestion>>;
  /** Decides each separately: one that cannot be decided is answered with its error. */
  decideOnce(
    principal: Principal,
    decisions: readonly SuggestionDecision[],
    claim: Claim | undefined,
  ): Promise<Created<DecidedSuggestions>>;
}

/** The state of the suggestion that the caller read, and the claim of its request. */
interface Conditions {
  ifMatch?: string | undefined;
  claim?: Claim | undefined;
}

/** Who decided what nobody did. */
export const AUTOMATIC = 'svc';
const DAY_MS = 24 * 3_600_000;
const UNDO_DAYS = 30;

interface Parts {
  db: Database;
  clock: Clock;
  idempotency: Pick<Idempotency, 'createOrFind' | 'redact' | 'replayOrRunAll'>;
  memories: Memories;
  reading: Pick<MessageReading, 'findMessages'>;
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
  usage: Pick<Usage, 'requireTenant'>;
}

/** Whether a suggestion, as the transaction that would accept it sees it, may be accepted automatically. */
export type IsAllowed = (connection: Connection, suggestion: SuggestionRow) => Promise<boolean>;

/** Who decides a suggestion, and whose quota counts what it adds. */
type Decider = Adder & { decidedBy: string; isAllowed?: IsAllowed };

/** Decides suggestions; what accepting does to memories is in `acceptance.ts`. */
export function createDeciding({ db, clock, idempotency, memories, reading, tierOf, usage }: Parts): Deciding {
  async function find(reader: Reader, tenantId: string, id: string): Promise<Suggestion | undefined> {
    const row = await findSuggestion(reader, tenantId, id);
    return row && toSuggestion(row);
  }

  const decideWithin = (
    connection: Connection,
    tenantId: string,
    id: string,
    { ifMatch, claim }: Conditions,
    decision: (row: SuggestionRow, suggestion: Suggestion) => Promise<Partial<SuggestionRow>>,
  ): Promise<Created<Suggestion>> =>
    idempotency.createOrFind(connection, claim, {
      status: 200,
      async create() {
        const row = await findSuggestion(connection, tenantId, id);
        if (!row) throw noSuggestion();
        const suggestion = toSuggestion(row);
        requireMatch(ifMatch, etagOfSuggestion(suggestion), 'suggestion');
        await updateDecision(connection, { ...row, ...(await decision(row, suggestion)) });
        return id;
      },
      find: () => find(connection, tenantId, id),
    });

  function decided(decidedBy: string, state: 'accepted' | 'rejected', applied: Applied | null) {
    return { state, decidedAt: clock.nowMs(), decidedBy, applied: applied && JSON.stringify(applied) };
  }

  const acceptFor = (
    { decidedBy, isAllowed, ...adder }: Decider,
    id: string,
    acceptance: Acceptance,
    conditions: Conditions,
  ) => {
    const { tenantId } = adder;
    const texts = acceptance.content === undefined ? [] : [[acceptance.content]];
    return writeWithTerms(tenantId, texts, (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, tenantId, id, conditions, async (row, suggestion) => {
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

  const acceptOnce: Deciding['acceptOnce'] = (principal, id, acceptance, conditions) =>
    acceptFor({ ...principal, decidedBy: deciderOf(principal) }, id, acceptance, conditions);

  const rejectOnce: Deciding['rejectOnce'] = (principal, id, conditions) =>
    db.writes.write(principal.tenantId, (connection) =>
      decideWithin(connection, principal.tenantId, id, conditions, async (_row, suggestion) => {
        requireOpen(suggestion);
        return decided(deciderOf(principal), 'rejected', null);
      }),
    );

  const undoOnce: Deciding['undoOnce'] = ({ tenantId }, id, conditions) => {
    return writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, tenantId, id, conditions, async (row) => {
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
    acceptOnce,
    async acceptAutomatically(tenantId, id, isAllowed) {
      const tier = await tierOf(db.lookups, tenantId);
      if (tier !== undefined) await acceptFor({ tenantId, tier, decidedBy: AUTOMATIC, isAllowed }, id, {}, {});
    },
    rejectOnce,
    undoOnce,
    async decideOnce(principal, decisions, claim) {
      const { tenantId } = principal;
      const decided: DecidedSuggestions['data'] = [];
      const { body: outcomes, ...created } = await idempotency.replayOrRunAll(claim, {
        async run() {
          for (const { id, decision, ...acceptance } of decisions) {
            const work = {
              accept: () => acceptOnce(principal, id, acceptance, {}),
              reject: () => rejectOnce(principal, id, {}),
              undo: () => undoOnce(principal, id, {}),
            };
            decided.push(
              await work[decision]().then(
                ({ body: suggestion }) => ({ id, suggestion, error: null }),
                (error: unknown) => ({ id, suggestion: null, error: causeOf(error) }),
              ),
            );
          }
          return decided.map(({ id, error }) => ({ id, error }));
        },
        resourceIds: decisions.map(({ id }) => id),
        requireTenant: (connection) => usage.requireTenant(connection, tenantId),
      });
      if (!created.replayed) return { ...created, body: { data: decided } };
      const data: DecidedSuggestions['data'] = [];
      for (const { id, error } of outcomes) {
        const suggestion = error === null ? ((await find(db.lookups, tenantId, id)) ?? null) : null;
        data.push({ id, suggestion, error: suggestion ? null : (error ?? causeOf(noSuggestion())) });
      }
      return { ...created, body: { data } };
    },
  };
}

function causeOf(error: unknown): NonNullable<DecidedSuggestions['data'][number]['error']> {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message };
}

function deciderOf({ author, client, credential }: Principal): string {
  return author ?? nameOfClient(client) ?? credential.kind;
}

function requireOpen({ state }: Suggestion): void {
  if (state === 'open') return;
  const why = state === 'outdated' ? 'is outdated: what it is about has changed' : `was ${state} already`;
  throw new AppError('conflict', `The suggestion ${why}.`);
}
