import type { Database } from '../../db/open.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { type ClientLinks, linkGone } from '../auth/client-links.ts';
import {
  type AuthorizationRequest,
  answerTo,
  namesDocument,
  narrowTo,
  readAuthorizationRequest,
  requireGrantable,
} from './authorization-request.ts';
import type { OAuthClients } from './clients.ts';
import type { Grants } from './grants.ts';
import { addressesOf } from './oauth-addresses.ts';
import type { OAuthScope } from './oauth-scope.ts';

/** A request that waits for a decision, and whose account it is about. */
interface WaitingRequest {
  email: string;
  request: AuthorizationRequest;
}

/** A mailed link in a browser that may have asked for it. */
interface OpenedLink {
  token: string;
  /** Identifies the browser. */
  cookie: string | undefined;
}

interface Decision {
  allow: boolean;
  scope: OAuthScope | undefined;
  /** The IP address of the browser. */
  address: string;
}

/**
 * Allows clients in browsers without a session: a mailed link proves the address. It issues no API key and begins no
 * session. As a sign-in does, Allow creates the account if there is none.
 */
export interface MailedConsent {
  /** Checks a request before anything is shown. Throws `invalid_request` as `ask` does. */
  check(query: string): Promise<void>;
  /**
   * Queues the mail, for every address alike. Throws `invalid_request` if `email` is not an address, or if the request
   * cannot be granted; the metadata document of a client is only fetched for someone who has opened the link.
   */
  ask(request: { email: string; cookie: string; query: string }): Promise<void>;
  /** Reads a link without consuming it. Throws `gone`, `forbidden` in another browser, and `invalid_request` as `ask` does. */
  inspect(link: OpenedLink): Promise<WaitingRequest>;
  /** Consumes a link, once, and returns where the client learns the decision. Throws as `inspect` does. */
  decide(link: OpenedLink, decision: Decision): Promise<string>;
}

interface Dependencies {
  db: Database;
  accounts: Accounts;
  clientLinks: ClientLinks;
  clients: OAuthClients;
  grants: Grants;
  publicUrl: () => string;
}

/** Creates the mailed consent of a daemon. */
export function createMailedConsent(dependencies: Dependencies): MailedConsent {
  const { db, accounts, clientLinks, clients, grants, publicUrl } = dependencies;
  const read = (query: string) => readAuthorizationRequest(query, clients, addressesOf(publicUrl()));

  async function inspect({ token, cookie }: OpenedLink): Promise<WaitingRequest> {
    const { email, clientRequest } = await clientLinks.inspect(token, cookie);
    return { email, request: await read(clientRequest) };
  }

  async function allow({ token, cookie }: OpenedLink, request: AuthorizationRequest, address: string): Promise<string> {
    return db.writes.write('daemon', async (connection) => {
      const { email } = await clientLinks.use(connection, token, cookie);
      await accounts.keep(connection, email);
      // An invitation may have been withdrawn since the mail.
      if (!(await accounts.canSignIn(connection, email))) throw linkGone();
      const { tenantId } = await accounts.findOrCreate(connection, email);
      return grants.allowIn(connection, { tenantId, address }, request);
    });
  }

  async function check(query: string): Promise<void> {
    if (namesDocument(query)) requireGrantable(query, addressesOf(publicUrl()));
    else await read(query);
  }

  return {
    check,
    async ask({ email, cookie, query }) {
      await check(query);
      await clientLinks.request({ email, cookie, clientRequest: query });
    },
    inspect,
    async decide(link, { allow: isAllowed, scope, address }) {
      const { request } = await inspect(link);
      const addresses = addressesOf(publicUrl());
      if (isAllowed) {
        return answerTo(request, { code: await allow(link, narrowTo(scope, request), address) }, addresses);
      }
      await db.writes.write('daemon', (connection) => clientLinks.use(connection, link.token, link.cookie));
      return answerTo(request, { error: 'access_denied' }, addresses);
    },
  };
}
