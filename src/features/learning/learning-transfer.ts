import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableLearned } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { LearnedCache } from './learned-cache.ts';
import { decodeLearnedState, encodeLearnedState } from './learned-state.ts';
import { findLearnedUsers, type LearnedFilter, type LearnedRow, listLearned, upsertLearned } from './learning-store.ts';

/** What was learned of a user, as it is to be brought in. */
export type LearnedDraft = LearnedRow;

/** What was learned, as it leaves an account and comes into one. */
export interface LearningTransfer {
  /** A page in the order of the users. */
  read(reader: Reader, filter: LearnedFilter): Promise<PortableLearned[]>;
  /** What was learned of a user as it is stored. Throws `invalid_request` where its state cannot be read. */
  draftOf(tenantId: string, learned: PortableLearned): LearnedDraft;
  /** Brings it in, in the caller's transaction, a fate each. A user of whom something was learned already is known. */
  restore(connection: Connection, drafts: readonly LearnedDraft[]): Promise<ImportOutcome[]>;
  /** Tells that the transaction of `restore` is committed: from now on searches follow what it added. */
  confirm(added: readonly LearnedDraft[]): void;
}

interface Parts {
  signals: readonly string[];
  cache: Pick<LearnedCache, 'forget'>;
}

/** The face of the learning room for whole accounts. */
export function createLearningTransfer({ signals, cache }: Parts): LearningTransfer {
  return {
    async read(reader, filter) {
      return (await listLearned(reader, filter)).map(toPortable);
    },
    draftOf(tenantId, { user, state, events, updatedAt }) {
      const decoded = decodeLearnedState(Buffer.from(state, 'base64url'), signals);
      if (decoded.events !== events) throw unsound();
      return {
        tenantId,
        endUser: user,
        state: encodeLearnedState(decoded),
        events,
        updatedAt: parseInstant(updatedAt, '/updatedAt'),
      };
    },
    async restore(connection, drafts) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const users = drafts.map(({ endUser }) => endUser);
      const known = new Set(await findLearnedUsers(connection, tenantId, users));
      const fates: ImportOutcome[] = [];
      for (const draft of drafts) {
        const isKnown = known.has(draft.endUser);
        fates.push(isKnown ? 'known' : 'added');
        if (!isKnown) await upsertLearned(connection, draft);
        known.add(draft.endUser);
      }
      return fates;
    },
    confirm(added) {
      for (const { tenantId, endUser } of added) cache.forget(tenantId, endUser);
    },
  };
}

function toPortable({ endUser, state, events, updatedAt }: LearnedRow): PortableLearned {
  return {
    type: 'learned',
    user: endUser,
    state: state.toString('base64url'),
    events,
    updatedAt: toTimestamp(updatedAt),
  };
}

function unsound(): AppError {
  const message = 'cannot be read: it is damaged or of another version of svc';
  return new AppError('invalid_request', `The state ${message}.`, { errors: [{ path: '/state', message }] });
}
