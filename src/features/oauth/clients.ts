import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { mintToken } from '../../lib/secret.ts';
import type { ClientDocuments } from './client-documents.ts';
import { type OAuthClient, readClientMetadata } from './client-metadata.ts';
import {
  deleteClientsUnusedSince,
  deleteNeverUsedBut,
  findClient,
  insertClient,
  updateClientUsed,
} from './clients-store.ts';

/** Public clients: those that registered here (RFC 7591), and those that publish a metadata document. */
export interface OAuthClients {
  /** Registers a client. Throws `invalid_redirect_uri` or `invalid_client_metadata`. */
  register(body: unknown): Promise<OAuthClient & { createdAt: number }>;
  /** Returns `undefined` for an unknown client. Throws `invalid_client` if its metadata document cannot be used. */
  find(id: string): Promise<OAuthClient | undefined>;
  /** Notes, in the caller's transaction, that a client was used. */
  touch(connection: Connection, id: string): Promise<void>;
  /**
   * Deletes clients that were not used for 30 days, and all but the newest 10,000 of those that were never used: anyone can
   * register, and limits per address do not bound many addresses.
   */
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  documents: ClientDocuments;
}

const MAX_IDLE_MS = 30 * 24 * 3_600_000;
const MAX_NEVER_USED = 10_000;

/** Whether a client id is the URL of a metadata document. */
export function isDocumentId(id: string): boolean {
  return id.startsWith('https:');
}

/** Creates the clients of a database. */
export function createOAuthClients({ db, clock, random, documents }: Dependencies): OAuthClients {
  return {
    async register(body) {
      const { name, redirectUris } = readClientMetadata(body);
      const id = mintToken(random);
      const createdAt = clock.nowMs();
      const row = { id, name, redirectUris: JSON.stringify(redirectUris), createdAt, lastUsedAt: createdAt };
      await db.writes.write('daemon', (connection) => insertClient(connection, row));
      return { id, name, redirectUris, verifiedHost: undefined, createdAt };
    },
    async find(id) {
      if (isDocumentId(id)) return documents.load(id);
      const row = await findClient(db.lookups, id);
      if (!row) return undefined;
      return { id, name: row.name, redirectUris: JSON.parse(row.redirectUris) as string[], verifiedHost: undefined };
    },
    touch: (connection, id) => updateClientUsed(connection, id, clock.nowMs()),
    sweep: () =>
      db.writes.write('daemon', async (connection) => {
        await deleteClientsUnusedSince(connection, clock.nowMs() - MAX_IDLE_MS);
        await deleteNeverUsedBut(connection, MAX_NEVER_USED);
      }),
  };
}
