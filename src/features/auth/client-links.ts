import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { hashSecret } from '../../lib/secret.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { MailedLinks } from './mailed-links.ts';
import { isFromBrowser, isOpen } from './sign-in.ts';
import { findSignIn, updateUsed } from './sign-in-store.ts';

/** The account that an OAuth client asks for, and the query of its authorization request. */
interface ClientLink {
  email: string;
  clientRequest: string;
}

/**
 * Mailed links with which an OAuth client is allowed without a session. They work only in the browser that asked for them,
 * which has `cookie`: a link that a stranger asked for gains them nothing when someone else opens it.
 */
export interface ClientLinks {
  /**
   * Queues the mail. Response and work are the same for every address, as for a sign-in. Throws `invalid_request` if
   * `email` is not an address.
   */
  request(link: ClientLink & { cookie: string }): Promise<void>;
  /** Reads a link without consuming it. Throws `gone`, and `forbidden` in another browser. */
  inspect(token: string, cookie: string | undefined): Promise<ClientLink>;
  /** Consumes a link, once, in the caller's transaction. Throws as `inspect` does. */
  use(connection: Connection, token: string, cookie: string | undefined): Promise<ClientLink>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  links: MailedLinks;
  mailQueue: MailQueue;
}

/** Creates the links of a daemon. */
export function createClientLinks({ db, clock, links, mailQueue }: Dependencies): ClientLinks {
  async function find(reader: Reader, token: string, cookie: string | undefined): Promise<ClientLink> {
    const row = await findSignIn(reader, hashSecret(token));
    if (!isOpen(row, clock.nowMs()) || row.clientRequest === null) throw linkGone();
    if (!isFromBrowser(row, cookie)) throw otherBrowser();
    return { email: row.email, clientRequest: row.clientRequest };
  }

  return {
    async request({ email: typed, cookie, clientRequest }) {
      const link = { email: normalizeEmail(typed), cookieHash: hashSecret(cookie), clientRequest };
      await db.writes.write('daemon', (connection) => links.add(connection, { kind: 'client', ...link }));
      mailQueue.wake();
    },
    inspect: (token, cookie) => find(db.readers, token, cookie),
    async use(connection, token, cookie) {
      const link = await find(connection, token, cookie);
      if (!(await updateUsed(connection, hashSecret(token), clock.nowMs()))) throw linkGone();
      return link;
    },
  };
}

/** The error of a link that cannot be used. */
export function linkGone(): AppError {
  const message = 'This link has expired or was used. Start again in the program that sent you here.';
  return new AppError('gone', message);
}

function otherBrowser(): AppError {
  const message =
    'This link works only in the browser in which you began, and only if it accepts cookies. Copy its address from the email, and open it there or paste it into the page that waits.';
  return new AppError('forbidden', message);
}
