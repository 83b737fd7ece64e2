import type { AutomaticKind, SuggestionKind } from '../../contract/suggestion-names.ts';
import {
  DEFAULT_MIN_CONFIDENCE,
  type SuggestionSettings as Settings,
  type SuggestionSettingsChange,
} from '../../contract/suggestion-settings.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { Erasable } from '../erasure/erasure.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import {
  deleteSettings,
  listSettings,
  listUndone,
  type SuggestionSettingRow,
  upsertSetting,
} from './suggestion-settings-store.ts';

/** What an account wants done with suggestions, by kind. */
export interface SuggestionSettings extends Erasable {
  get(principal: Pick<Principal, 'tenantId'>): Promise<Settings>;
  /** Throws `precondition_failed` if the settings changed since `ifMatch`. */
  change(principal: Pick<Principal, 'tenantId'>, change: SuggestionSettingsChange, ifMatch?: string): Promise<Settings>;
  /** The kinds that are not made. */
  switchedOff(reader: Reader, tenantId: string): Promise<ReadonlySet<SuggestionKind>>;
  /** The confidence from which on suggestions of a kind are accepted automatically now; `undefined` if none are. */
  acceptedFrom(reader: Reader, tenantId: string, kind: SuggestionKind): Promise<number | undefined>;
}

/** Undone decisions within a week after which a kind waits for review for a week. */
const MAX_UNDONE = 2;
const PAUSE_MS = 7 * 24 * 3_600_000;

interface Parts {
  db: Database;
  clock: Clock;
  usage: Pick<Usage, 'requireTenant'>;
}

/** Stores what accounts want; a kind that was never set waits for review. */
export function createSuggestionSettings({ db, clock, usage }: Parts): SuggestionSettings {
  async function pausedUntilMs(reader: Reader, tenantId: string, kind: SuggestionKind): Promise<number | null> {
    const undone = { tenantId, kind, sinceMs: clock.nowMs() - PAUSE_MS, limit: MAX_UNDONE };
    const times = await listUndone(reader, undone);
    return times.length < MAX_UNDONE ? null : times[0]!.undoneAt + PAUSE_MS;
  }

  async function read(reader: Reader, tenantId: string): Promise<Settings> {
    const rows = await listSettings(reader, tenantId);
    const automatic = async (kind: AutomaticKind) => {
      const { mode, minConfidence } = settingOf(rows, tenantId, kind);
      return { mode, minConfidence, pausedUntil: toTimestampOrNull(await pausedUntilMs(reader, tenantId, kind)) };
    };
    const chosen = (kind: SuggestionKind) => ({
      mode: settingOf(rows, tenantId, kind).mode === 'off' ? ('off' as const) : ('review' as const),
    });
    return {
      add: await automatic('add'),
      merge: await automatic('merge'),
      supersede: await automatic('supersede'),
      contradiction: chosen('contradiction'),
      expire: chosen('expire'),
      split: chosen('split'),
    };
  }

  return {
    get: ({ tenantId }) => read(db.lookups, tenantId),
    async change({ tenantId }, change, ifMatch) {
      await db.writes.write(tenantId, async (connection) => {
        await usage.requireTenant(connection, tenantId);
        if (ifMatch !== undefined) requireMatch(ifMatch, contentTagOf(await read(connection, tenantId)), 'settings');
        const rows = await listSettings(connection, tenantId);
        for (const [name, changed] of Object.entries(change)) {
          const kind = name as SuggestionKind;
          await upsertSetting(connection, { ...settingOf(rows, tenantId, kind), ...changed });
        }
      });
      return read(db.lookups, tenantId);
    },
    async switchedOff(reader, tenantId) {
      const rows = await listSettings(reader, tenantId);
      return new Set(rows.filter(({ mode }) => mode === 'off').map(({ kind }) => kind));
    },
    async acceptedFrom(reader, tenantId, kind) {
      const { mode, minConfidence } = settingOf(await listSettings(reader, tenantId), tenantId, kind);
      if (mode !== 'automatic' || (await pausedUntilMs(reader, tenantId, kind)) !== null) return undefined;
      return minConfidence;
    },
    async erase({ tenantId, endUser }) {
      if (endUser === undefined) await db.writes.write(tenantId, (connection) => deleteSettings(connection, tenantId));
    },
  };
}

function settingOf(
  rows: readonly SuggestionSettingRow[],
  tenantId: string,
  kind: SuggestionKind,
): SuggestionSettingRow {
  const known = rows.find((row) => row.kind === kind);
  return known ?? { tenantId, kind, mode: 'review', minConfidence: DEFAULT_MIN_CONFIDENCE };
}
