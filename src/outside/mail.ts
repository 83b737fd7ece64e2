import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import type { SendMailOptions } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import { AppError } from '../contract/errors.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { type Clock, systemClock, toTimestamp } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { Random } from '../lib/random.ts';

/** Maximum number of connections to the mail server, and so of concurrent sends. */
export const MAX_CONNECTIONS = 4;
/** Upper bound of a send, whatever the server does: it then rejects with a `MailFault`. */
export const SEND_TIMEOUT_MS = 20_000;
const STEP_TIMEOUT_MS = 10_000;

export interface Mail {
  /** A single bare address; see `isSingleAddress`. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Identifies the mail across attempts; combined with the sender's domain it is the Message-ID. */
  messageId: string;
}

/** Delivers mails to exactly one recipient each. */
export interface Mailer {
  readonly name: 'folder' | 'smtp' | 'terminal';
  /** Resolves once the mail is handed over. Throws `MailFault` if the mail server or the address is at fault. */
  send(mail: Mail): Promise<void>;
  /** Closes connections immediately; mails in flight fail. */
  close(): void;
}

export interface MailerOptions {
  /** `smtp://` (STARTTLS if offered; `?requireTLS=true` enforces it) or `smtps://`, in nodemailer's format. */
  smtpUrl?: string | undefined;
  /** `svc@example.com` or `svc <svc@example.com>`. */
  mailFrom: string;
  /** Takes precedence over `smtpUrl`. */
  mailDir?: string | undefined;
  /** Prints mails if neither a server nor a folder is configured. */
  show: (text: string) => void;
  random: Random;
  clock?: Clock;
}

/** Why a mail was not delivered, without the server's own message, which tends to quote the address. */
export class MailFault extends Error {
  readonly code: string;
  readonly responseCode: number | undefined;
  /** Retrying this mail would fail again. */
  readonly permanent: boolean;

  constructor({ code, responseCode, permanent }: { code: string; responseCode?: number; permanent: boolean }) {
    super(`The mail was not accepted: ${code}${responseCode ? ` ${responseCode}` : ''}`);
    this.name = 'MailFault';
    this.code = code;
    this.responseCode = responseCode;
    this.permanent = permanent;
  }
}

const ATOM = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@"(),:;<>\[\\\]]+`;
const ADDRESS = new RegExp(`^${ATOM}@${ATOM}$`, 'u');

/**
 * Whether `address` is a single bare address in normal form. Deliberately stricter than RFC 5322: no quotes, comments,
 * display names, separators or control characters, including any produced by NFKC folding, so that no parser finds two
 * addresses in it.
 */
export function isSingleAddress(address: string): boolean {
  return Buffer.byteLength(address) <= 254 && address === address.normalize('NFKC') && ADDRESS.test(address);
}

/** Creates the configured mailer: folder, else SMTP, else terminal. Throws `unprocessable` for invalid settings. */
export function createMailer(options: MailerOptions): Mailer {
  const sender = parseSender(options.mailFrom);
  if (options.mailDir !== undefined) return createFolderMailer(options.mailDir, sender, options);
  if (options.smtpUrl !== undefined) return createSmtpMailer(options.smtpUrl, sender);
  return createTerminalMailer(options.show);
}

interface Sender {
  name: string;
  address: string;
}

function parseSender(mailFrom: string): Sender {
  const [sender, ...others] = addressparser(mailFrom, { flatten: true });
  if (!sender || others.length > 0 || !isSingleAddress(sender.address)) {
    throw new AppError('unprocessable', 'SVC_MAIL_FROM must be one address, e.g. "svc <svc@example.com>".');
  }
  return { name: sender.name, address: sender.address };
}

function compose(mail: Mail, sender: Sender): SendMailOptions {
  requireSingleRecipient(mail);
  const recipient = { name: '', address: mail.to };
  const domain = domainToASCII(sender.address.slice(sender.address.lastIndexOf('@') + 1)) || 'localhost';
  return {
    from: sender,
    to: recipient,
    envelope: { from: { name: '', address: sender.address }, to: recipient },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.messageId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    textEncoding: 'quoted-printable',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function requireSingleRecipient(mail: Mail): void {
  if (!isSingleAddress(mail.to)) throw new MailFault({ code: 'EADDRESS', permanent: true });
}

/** Nodemailer, loaded with the first mail: most daemons send none for hours. */
const loadNodemailer = () => import('nodemailer');

function createSmtpMailer(smtpUrl: string, sender: Sender): Mailer {
  const url = restrictUrl(smtpUrl);
  let transport: ReturnType<typeof openTransport> | undefined;
  async function openTransport() {
    const { createTransport } = await loadNodemailer();
    return createTransport({
      url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      // The mail queue counts attempts; this only covers an idle connection that the server has dropped.
      maxRequeues: 1,
      idleTimeout: 60_000,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      dnsTimeout: STEP_TIMEOUT_MS,
    });
  }
  return {
    name: 'smtp',
    async send(mail) {
      const message = compose(mail, sender);
      transport ??= openTransport();
      const opened = await transport;
      // A server that responds byte by byte never triggers the socket timeout.
      const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
      await opened.sendMail({ ...message, signal }).catch((error: unknown) => {
        throw smtpFault(error);
      });
    },
    close: () => void transport?.then((opened) => opened.close({ force: true })),
  };
}

/** nodemailer lets the URL override options: removes parameters that would log mails or extend timeouts. */
function restrictUrl(smtpUrl: string): string {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : undefined;
  if (!url?.hostname || !['smtp:', 'smtps:'].includes(url.protocol)) {
    throw new AppError('unprocessable', 'SVC_SMTP_URL must look like smtp://user:password@mail.example.com:587.');
  }
  const ours = ['pool', 'maxConnections', 'maxRequeues', 'idleTimeout', 'logger', 'debug', 'transactionLog'];
  const limits = ['connectionTimeout', 'greetingTimeout', 'socketTimeout', 'dnsTimeout'];
  for (const name of [...ours, ...limits]) url.searchParams.delete(name);
  return url.href;
}

/** Permanent only for faults of this recipient or this message; a rejected login is for the operator to fix. */
function smtpFault(error: unknown): MailFault {
  const { code, responseCode, permanent, command } = error as {
    code?: string | number;
    responseCode?: number;
    permanent?: boolean;
    command?: string;
  };
  const concernsMail = command === 'RCPT TO' || code === 'EMESSAGE';
  return new MailFault({
    code: typeof code === 'string' ? code : 'EMAIL',
    ...(responseCode ? { responseCode } : {}),
    permanent: permanent === true && concernsMail,
  });
}

function createFolderMailer(
  folder: string,
  sender: Sender,
  { random, clock = systemClock }: Pick<MailerOptions, 'random' | 'clock'>,
): Mailer {
  let sequence = 0;
  return {
    name: 'folder',
    async send(mail) {
      const time = toTimestamp(clock.nowMs()).replace(/[-:.]/g, '');
      // Keeps mails of the same millisecond in order.
      const order = String(sequence++).padStart(6, '0');
      const name = `${time}-${order}-${random.bytes(6).toString('hex')}.eml`;
      const message = compose(mail, sender);
      const { createTransport } = await loadNodemailer();
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const sent = await transport.sendMail(message);
      await makeFolder(folder);
      await replaceFile(join(folder, name), sent.message as Buffer, { mode: 0o600 });
    },
    close() {},
  };
}

function createTerminalMailer(show: (text: string) => void): Mailer {
  return {
    name: 'terminal',
    async send(mail) {
      requireSingleRecipient(mail);
      show(frame(mail));
    },
    close() {},
  };
}

/** Draws no right edge, so that a long link stays in one piece and can be clicked. */
function frame(mail: Mail): string {
  const edge = '─'.repeat(72);
  const lines = [`To:      ${mail.to}`, `Subject: ${mail.subject}`, '', ...mail.text.trimEnd().split(/\r?\n/)];
  const body = lines.map((line) => `│ ${line.replace(/\p{Cc}/gu, ' ')}`.trimEnd());
  return [`┌${edge}`, ...body, `└${edge}`, ''].join('\n');
}
