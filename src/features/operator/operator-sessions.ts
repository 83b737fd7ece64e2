import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import { deleteExpiredTickets, deleteTicket, insertTicket } from './operator-tenants-store.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
}

/**
 * Sessions of the operator, kept in the memory of this daemon alone: they end with it. Timestamps are epoch milliseconds.
 */
export interface OperatorSessions {
  /** Consumes a ticket. Throws `gone` if it was used or has expired. */
  redeem(ticket: string): Promise<{ token: string; expiresAt: number }>;
  /** Returns when the session of a token ends at the latest, and counts as a use. Throws `unauthenticated`. */
  use(token: string): { expiresAt: number };
  end(token: string): void;
}

const TICKET_MS = 60_000;
/** How long a session lasts at most. */
export const MAX_AGE_MS = 8 * 3_600_000;
const MAX_IDLE_MS = 30 * 60_000;
/** One more ends the oldest. */
const MAX_SESSIONS = 20;

/** Makes a ticket that opens the operator's view once, within a minute. Only its hash is stored. */
export async function issueOperatorTicket({
  db,
  clock,
  random,
}: Dependencies): Promise<{ ticket: string; expiresAt: number }> {
  const ticket = mintToken(random);
  const nowMs = clock.nowMs();
  await db.writes.write('daemon', async (connection) => {
    await deleteExpiredTickets(connection, nowMs);
    await insertTicket(connection, hashSecret(ticket), nowMs + TICKET_MS);
  });
  return { ticket, expiresAt: nowMs + TICKET_MS };
}

/** Creates the operator's sessions of one daemon. */
export function createOperatorSessions({ db, clock, random }: Dependencies): OperatorSessions {
  const sessions = new Map<string, { expiresAt: number; lastUsedAt: number }>();
  return {
    async redeem(ticket) {
      const isValid = await db.writes.write('daemon', (connection) =>
        deleteTicket(connection, hashSecret(ticket), clock.nowMs()),
      );
      if (!isValid) throw new AppError('gone', 'This link has been used or has expired. Run svc admin open again.');
      const token = mintToken(random);
      const nowMs = clock.nowMs();
      const expiresAt = nowMs + MAX_AGE_MS;
      sessions.set(hashSecret(token), { expiresAt, lastUsedAt: nowMs });
      for (const oldest of [...sessions.keys()].slice(0, -MAX_SESSIONS)) sessions.delete(oldest);
      return { token, expiresAt };
    },
    use(token) {
      const hash = hashSecret(token);
      const session = sessions.get(hash);
      const nowMs = clock.nowMs();
      if (!session || session.expiresAt <= nowMs || session.lastUsedAt + MAX_IDLE_MS <= nowMs) {
        sessions.delete(hash);
        throw new AppError('unauthenticated', 'There is no operator session, or it has ended. Run svc admin open.');
      }
      session.lastUsedAt = nowMs;
      return { expiresAt: session.expiresAt };
    },
    end(token) {
      sessions.delete(hashSecret(token));
    },
  };
}
