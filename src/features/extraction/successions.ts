import { AppError, refusalOf } from '../../contract/errors.ts';
import type { StoredPortion } from '../../contract/extraction-portions.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Database } from '../../db/open.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Memories } from '../memories/memories.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import { isNewer } from './proposals.ts';
import { beginningOf, type Pair } from './replaced.ts';

type Outcome = StoredPortion['replaced'][number];

interface Parts {
  db: Database;
  memories: Pick<Memories, 'findWithin' | 'closeWithin'>;
}

/** Lets extracted memories supersede older ones, each pair by itself. A refused pair has the error of its outcome. */
export type Supersede = (tenantId: string, pairs: readonly Pair[]) => Promise<Outcome[]>;

/** Composes superseding: each pair in a transaction of its own. */
export function createSupersede({ db, memories }: Parts): Supersede {
  async function supersedeOne(tenantId: string, pair: Pair): Promise<void> {
    await writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, async (connection) => {
        const older = await memories.findWithin(connection, tenantId, pair.older);
        const newer = await memories.findWithin(connection, tenantId, pair.newer);
        const validTo = endOf(older, newer, pair.shown);
        await memories.closeWithin(connection, { tenantId, id: pair.older, validTo, supersededBy: pair.newer }, terms);
      }),
    );
  }

  return async (tenantId, pairs) => {
    const outcomes: Outcome[] = [];
    for (const pair of pairs) {
      const error = await supersedeOne(tenantId, pair).then(() => null, refusalOf);
      outcomes.push({ older: pair.older, newer: pair.newer, error });
    }
    return outcomes;
  };
}

/** When a memory stops holding because of another. Throws `not_found`, `invalid_request` and `conflict` if it does not. */
function endOf(older: Memory | undefined, newer: Memory | undefined, shown: Pair['shown']): number {
  if (older === undefined || newer === undefined || older.user !== newer.user) {
    throw new AppError('not_found', 'There are no such memories of one user.');
  }
  if (newer.origin !== 'extraction' || newer.validTo !== null || older.id === newer.id) {
    throw new AppError('invalid_request', 'newer must be another memory that was extracted and still holds.');
  }
  if (older.externalId !== null) {
    throw new AppError('conflict', `Another program keeps the older one as ${older.externalId}: change it there.`);
  }
  if (newer.project !== null && newer.project !== older.project) {
    throw new AppError('conflict', 'A memory of a project does not replace one outside of it.');
  }
  const isChanged = shown === undefined ? older.updatedAt > newer.createdAt : beginningOf(older.content) !== shown;
  if (isChanged) {
    throw new AppError('conflict', 'The older one was changed after the model was shown it.');
  }
  const firstSaidMs = Math.min(
    parseInstant(newer.occurredAt ?? newer.createdAt, ''),
    parseInstant(newer.createdAt, ''),
  );
  const saidMs = newer.saidAt === null ? firstSaidMs : parseInstant(newer.saidAt, '');
  if (isNewer(older, saidMs)) throw new AppError('conflict', 'The older one is newer than what replaces it.');
  return Math.max(parseInstant(older.validFrom, ''), parseInstant(newer.validFrom, ''));
}
