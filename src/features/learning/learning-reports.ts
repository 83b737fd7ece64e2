import type { LearningDay, Retrieval, RetrievalQuery } from '../../contract/learning.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, utcDay } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import { learnedOf } from './learned-cache.ts';
import { listLearningDays, listMixtures } from './learning-days-store.ts';
import { findLearned } from './learning-store.ts';
import { toHistory, toLearningDay, toRetrieval } from './retrieval-view.ts';
import type { SignalModel } from './signal-model.ts';

type Tenant = Pick<Principal, 'tenantId'>;

/** Reports on what was learned, for people. */
export interface LearningReports {
  show(principal: Tenant, query: RetrievalQuery): Promise<Retrieval>;
  /** The learning curve over the last days, including today; days without feedback are omitted. */
  curve(principal: Tenant, days: number): Promise<LearningDay[]>;
}

const DAY_MS = 86_400_000;

/** Reports with the signals and the default weights of `model`. */
export function createLearningReports({
  db,
  clock,
  model,
}: {
  db: Database;
  clock: Clock;
  model: SignalModel;
}): LearningReports {
  /** The first of the last days, including today. */
  const firstOf = (days: number) => utcDay(clock.nowMs() - (days - 1) * DAY_MS);
  return {
    async show({ tenantId }, { user = 'default', days, weights = 'largest' }) {
      const row = await findLearned(db.lookups, tenantId, user);
      const learned = learnedOf(row, model.names);
      const maxShifts = weights === 'all' ? model.names.length : undefined;
      const retrieval = toRetrieval(user, learned, row?.updatedAt ?? null, { model, maxShifts });
      if (days === undefined) return retrieval;
      const mixtures = await listMixtures(db.lookups, { tenantId, endUser: user });
      return { ...retrieval, history: toHistory(mixtures, firstOf(days)) };
    },
    async curve({ tenantId }, days) {
      return (await listLearningDays(db.readers, tenantId, firstOf(days))).map(toLearningDay);
    },
  };
}
