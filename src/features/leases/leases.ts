import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { deleteExpiredBefore, findLease, updateAcquired, updateReleased, updateRenewed } from './leases-store.ts';

/** The right to some work, which one daemon at a time has. */
export interface Lease {
  name: string;
  /** Grows whenever the lease changes hands. */
  fence: number;
}

/** Divides work that must not be done twice at once among the daemons of a database. */
export interface Leases {
  /** Runs `work` under a lease. Returns `undefined`, without running it, while another daemon has the lease. */
  hold<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined>;
  /** Like `hold`, for work on request: releases the lease when it is done, so that another daemon can take it at once. */
  once<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /**
   * Call it in each transaction that stores an effect of the work. Throws `conflict` if another daemon has taken over:
   * a daemon that was paused for longer than its lease writes nothing.
   */
  confirm(connection: Connection, lease: Lease): Promise<void>;
  /** Renews the leases of running work, and forgets those that nobody has used for a day. Call it every few seconds. */
  renew(): Promise<void>;
  /** Gives back all leases, so that other daemons take over at once. */
  release(): Promise<void>;
}

/** For a database that one daemon at a time uses: it has every lease. */
export const SOLE_DAEMON: Leases = {
  hold: (name, work) => work({ name, fence: 0 }),
  once: (_name, work) => work(),
  confirm: async () => {},
  renew: async () => {},
  release: async () => {},
};

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
}

/** How long work stays with a daemon that gives no sign of life. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** How long the leases of others are taken for granted. */
const RECHECK_MS = 5000;
const RETENTION_MS = 24 * 3_600_000;

interface Held extends Lease {
  renewAtMs: number;
  /** Amount of work that runs under it. */
  users: number;
}

/**
 * Keeps a lease while there is work for it, so that most work begins without a write. Lets the clocks of daemons differ:
 * a lease that ends too early is only taken over, and its fence refuses the writes of the daemon that had it.
 */
export function createLeases({ db, clock, random }: Parts): Leases {
  const owner = random.bytes(12).toString('hex');
  const held = new Map<string, Held>();
  /** When to look again for leases that others have. */
  const recheckAtMs = new Map<string, number>();
  let sweepAtMs = 0;

  async function acquire(name: string): Promise<Held | undefined> {
    const nowMs = clock.nowMs();
    const known = held.get(name);
    if (known !== undefined && nowMs < known.renewAtMs) return known;
    if (nowMs < (recheckAtMs.get(name) ?? 0)) return undefined;
    const row = await findLease(db.lookups, name);
    const isFree = row === undefined || row.owner === owner || row.expiresAt <= nowMs;
    const wanted = { name, owner, expiresAt: nowMs + LEASE_MS };
    const fence = isFree
      ? await db.writes.write('daemon', (connection) => updateAcquired(connection, wanted, nowMs))
      : undefined;
    if (fence === undefined) {
      held.delete(name);
      recheckAtMs.set(name, nowMs + RECHECK_MS);
      return undefined;
    }
    recheckAtMs.delete(name);
    const lease = known?.fence === fence ? known : { name, fence, users: 0, renewAtMs: 0 };
    lease.renewAtMs = nowMs + RENEW_MS;
    held.set(name, lease);
    return lease;
  }

  async function renewHeld(lease: Held): Promise<void> {
    const nowMs = clock.nowMs();
    if (lease.users === 0 || nowMs < lease.renewAtMs) return;
    const row = { ...lease, owner, expiresAt: nowMs + LEASE_MS };
    const isOurs = await db.writes.write('daemon', (connection) => updateRenewed(connection, row));
    if (isOurs) lease.renewAtMs = nowMs + RENEW_MS;
    else held.delete(lease.name);
  }

  async function hold<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const lease = await acquire(name);
    if (lease === undefined) return undefined;
    lease.users += 1;
    try {
      return await work(lease);
    } finally {
      lease.users -= 1;
    }
  }

  async function giveBack(name: string): Promise<void> {
    held.delete(name);
    await db.writes
      .write('daemon', (connection) => updateReleased(connection, { owner, name }))
      .catch(() => {
        // The lease expires within a minute.
      });
  }

  return {
    hold,
    once(name, work) {
      recheckAtMs.delete(name);
      return hold(name, () => work().finally(() => giveBack(name)));
    },
    async confirm(connection, { name, fence }) {
      const isOurs = await updateRenewed(connection, { name, owner, fence, expiresAt: clock.nowMs() + LEASE_MS });
      if (!isOurs) throw new AppError('conflict', 'Another daemon has taken over this work.');
    },
    async renew() {
      await Promise.all([...held.values()].map(renewHeld));
      const nowMs = clock.nowMs();
      if (nowMs < sweepAtMs) return;
      sweepAtMs = nowMs + RETENTION_MS;
      await db.writes.write('daemon', (connection) => deleteExpiredBefore(connection, nowMs - RETENTION_MS));
    },
    async release() {
      held.clear();
      await db.writes.write('daemon', (connection) => updateReleased(connection, { owner }));
    },
  };
}
