import { MAX_JSON } from '../../contract/storable.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { createProviderHttp, PROVIDER_HTTP_LIMITS } from '../../outside/providers/provider-http.ts';
import { createGrantedConnections } from '../connections/granted-connections.ts';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';
import { createClientDocuments } from './client-documents.ts';
import { createOAuthClients, type OAuthClients } from './clients.ts';
import { createGrants, type Grants } from './grants.ts';

/** The OAuth 2.1 authorization server of `/v1/mcp`. */
export interface OAuth {
  clients: OAuthClients;
  grants: Grants;
  accessTokens: AccessTokens;
  /** Ends requests for metadata documents. */
  close(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
}

/** Limits of a request for a client's metadata document. */
const DOCUMENT_LIMITS = { firstMs: 5000, idleMs: 2000, wholeMs: 8000, maxBytes: 64 * 1024, json: MAX_JSON };

/** Creates the authorization server of a database. Nothing is sent or loaded until it is used. */
export function createOAuth({ db, clock, ids, random, log }: Dependencies): OAuth {
  const connections = createGrantedConnections({ clock, ids, random });
  // Public hosts only: the sender of a request chooses the address.
  const http = createProviderHttp({
    allowedHosts: [],
    limits: { connectMs: 3000, exchange: { ...PROVIDER_HTTP_LIMITS.exchange, check: DOCUMENT_LIMITS } },
  });
  const documents = createClientDocuments({ fetch: http.fetch('check'), clock });
  const clients = createOAuthClients({ db, clock, random, documents });
  return {
    clients,
    grants: createGrants({ db, clock, random, clients, connections }),
    accessTokens: createAccessTokens({ db, clock, log, connections }),
    close: () => http.close(),
  };
}
