import { AppError } from '../../contract/errors.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { AUTOMATIC, type Deciding, type IsAllowed } from './deciding.ts';
import type { SuggestionSettings } from './suggestion-settings.ts';
import {
  countMemoriesUpTo,
  listAutomatic,
  listDecided,
  listUndecided,
  type SuggestionSettingRow,
} from './suggestion-settings-store.ts';

/** Accepts suggestions of the rules automatically, where an account wants that. */
export interface AutomaticDecisions {
  /** Goes through all accounts once. */
  decideDue(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  settings: Pick<SuggestionSettings, 'acceptedFrom'>;
  deciding: Pick<Deciding, 'acceptAutomatically'>;
}

/** What runs automatically touches at most this share of a user's memories in a day, and this many. */
const MAX_SHARE = 0.02;
const MAX_TOUCHED = 20;
const DAY_MS = 24 * 3_600_000;
const PORTION = 100;
/** Suggestions of a kind that are tried in one run, so that other accounts have their turn. */
const MAX_TRIED = 20;

/**
 * What is accepted is checked again in the transaction that accepts: concurrent runs keep the bounds together, and what an
 * account or an assistant changed meanwhile counts.
 */
export function createAutomaticDecisions({ db, clock, log, settings, deciding }: Parts): AutomaticDecisions {
  /** How many more memories of a user may be touched today. */
  async function leftOf(reader: Reader, tenantId: string, endUser: string): Promise<number> {
    const memories = await countMemoriesUpTo(reader, { tenantId, endUser }, MAX_TOUCHED / MAX_SHARE);
    const since = { tenantId, endUser, decidedBy: AUTOMATIC, sinceMs: clock.nowMs() - DAY_MS };
    const touched = (await listDecided(reader, since)).map(touchedBy);
    return Math.floor(memories * MAX_SHARE) - touched.reduce((sum, count) => sum + count, 0);
  }

  const isAllowed: IsAllowed = async (connection, { tenantId, endUser, kind, ...row }) => {
    const from = await settings.acceptedFrom(connection, tenantId, kind);
    if (from === undefined || row.confidence < from || row.suggester !== 'rules' || row.undoneAt !== null) return false;
    return touchedBy(row) <= (await leftOf(connection, tenantId, endUser));
  };

  async function decideKind({ tenantId, kind }: SuggestionSettingRow): Promise<void> {
    const reader = db.readers.of(tenantId);
    const minConfidence = await settings.acceptedFrom(reader, tenantId, kind);
    if (minConfidence === undefined) return;
    const left = new Map<string, number>();
    let tried = 0;
    let afterId = '';
    for (;;) {
      const rows = await listUndecided(reader, { tenantId, kind, minConfidence, afterId, limit: PORTION });
      for (const { id, endUser, memoryIds } of rows) {
        const leftNow = left.get(endUser) ?? (await leftOf(reader, tenantId, endUser));
        const touched = touchedBy({ memoryIds });
        left.set(endUser, touched <= leftNow ? leftNow - touched : leftNow);
        if (touched > leftNow) continue;
        await accept(tenantId, id);
        tried += 1;
        if (tried === MAX_TRIED) return;
      }
      if (rows.length < PORTION) return;
      afterId = rows.at(-1)!.id;
    }
  }

  async function accept(tenantId: string, id: string): Promise<void> {
    try {
      await deciding.acceptAutomatically(tenantId, id, isAllowed);
    } catch (error) {
      // It changed meanwhile, or the quota is used up: it stays open for a person.
      if (!(error instanceof AppError)) throw error;
      log.info({ error, tenantId, suggestionId: id }, 'could not accept a suggestion automatically');
    }
  }

  return {
    async decideDue() {
      let after: SuggestionSettingRow | undefined;
      for (;;) {
        const rows = await listAutomatic(db.readers, after, PORTION);
        for (const row of rows) {
          await decideKind(row).catch((error: unknown) => {
            log.warn({ error, tenantId: row.tenantId }, 'could not decide the suggestions of an account');
          });
        }
        if (rows.length < PORTION) return;
        after = rows.at(-1)!;
      }
    },
  };
}

/** A fact that is added touches one memory: itself. */
function touchedBy({ memoryIds }: { memoryIds: string }): number {
  return Math.max(1, (JSON.parse(memoryIds) as string[]).length);
}
