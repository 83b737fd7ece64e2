import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Principal } from '../keys/keys.ts';
import { hasCredential } from './connections-store.ts';
import { sessionEnded } from './sessions.ts';

/**
 * Checks in the caller's transaction that the API key, session or device of a request is still valid: a decision must not
 * outlive the credential that makes it. Throws `unauthenticated`.
 */
export async function requireValid(
  connection: Connection,
  { tenantId, credential }: Principal,
  nowMs: number,
): Promise<void> {
  if (await hasCredential(connection, { tenantId, hash: credential.hash, nowMs })) return;
  throw credential.kind === 'session' ? sessionEnded() : new AppError('unauthenticated', UNAUTHENTICATED);
}
