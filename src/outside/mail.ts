import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { createTransport, type SendMailOptions } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import { AppError } from '../contract/errors.ts';
import { type Clock, systemClock, toTimestamp } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';

/** The most connections to the mail server, and so the most mails on their way at once. */
export const MAX_CONNECTIONS = 4;
/** No send takes longer than this, whatever the server does: it settles with a `MailFault`. */
export const SEND_TIMEOUT_MS = 20_000;
const STEP_TIMEOUT_MS = 10_000;

export interface Mail {
  /** One bare address; see `isSingleAddress`. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Names this mail through all attempts; the Message-ID header is made of it and the sender's domain. */
  messageId: string;
}

/** Delivers mails, each to exactly one recipient. */
export interface Mailer {
  readonly name: 'folder' | 'smtp' | 'terminal';
  /** Settles once the mail is handed over. Throws `MailFault` where the mail server or the address is at fault. */
  send(mail: Mail): Promise<void>;
  /** Ends the connections at once; a mail on its way fails. */
  close(): void;
}

export interface MailerOptions {
  /** `smtp://` (STARTTLS where offered; `?requireTLS=true` insists) or `smtps://`, as nodemailer reads it. */
  smtpUrl?: string | undefined;
  /** `svc@example.com` or `svc <svc@example.com>`. */
  mailFrom: string;
  /** Wins over `smtpUrl`. */
  mailDir?: string | undefined;
  /** Where mails are shown when there is neither a server nor a folder. */
  show: (text: string) => void;
  random: Random;
  clock?: Clock;
}

/** Why a mail did not go, without the server's own words: they tend to quote the address. */
export class MailFault extends Error {
  readonly code: string;
  readonly responseCode: number | undefined;
  /** Trying this mail again would be refused again. */
  readonly permanent: boolean;

  constructor({ code, responseCode, permanent }: { code: string; responseCode?: number; permanent: boolean }) {
    super(`The mail was not taken: ${code}${responseCode ? ` ${responseCode}` : ''}`);
    this.name = 'MailFault';
    this.code = code;
    this.responseCode = responseCode;
    this.permanent = permanent;
  }
}

const ATOM = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}@"(),:;<>\[\\\]]+`;
const ADDRESS = new RegExp(`^${ATOM}@${ATOM}$`, 'u');

/**
 * Whether `address` is one bare address in normal form. Stricter than RFC 5322 on purpose: no quotes, comments, display
 * names, separators or control characters, also none that appear by NFKC folding, so that no reader finds two in it.
 */
export function isSingleAddress(address: string): boolean {
  return Buffer.byteLength(address) <= 254 && address === address.normalize('NFKC') && ADDRESS.test(address);
}

/** The mailer the settings ask for: folder, else SMTP, else terminal. Throws `unprocessable` on unusable settings. */
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

function createSmtpMailer(smtpUrl: string, sender: Sender): Mailer {
  const transport = createTransport({
    url: restrictUrl(smtpUrl),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // The queue keeps count of attempts; the pool only gets over an idle connection that the server has dropped.
    maxRequeues: 1,
    idleTimeout: 60_000,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
  });
  return {
    name: 'smtp',
    async send(mail) {
      const message = compose(mail, sender);
      // A server that answers drop by drop never runs into a time-out of the socket.
      const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
      await transport.sendMail({ ...message, signal }).catch((error: unknown) => {
        throw smtpFault(error);
      });
    },
    close: () => transport.close({ force: true }),
  };
}

/** nodemailer lets the URL overrule the program: what would print mails or stretch the time-outs is taken out. */
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

/** Permanent is only what is wrong with this recipient or this message; a refused login is the operator's to mend. */
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
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  let sequence = 0;
  return {
    name: 'folder',
    async send(mail) {
      const time = toTimestamp(clock.nowMs()).replace(/[-:.]/g, '');
      // Mails of one millisecond stay in order too.
      const order = String(sequence++).padStart(6, '0');
      const name = `${time}-${order}-${random.bytes(6).toString('hex')}.eml`;
      const { message } = await transport.sendMail(compose(mail, sender));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(join(folder, name), message as Buffer);
    },
    close: () => transport.close(),
  };
}

/** A reader of the folder finds the whole file or none. */
async function writeWhole(file: string, content: Buffer): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    await writeFile(unfinished, content, { mode: 0o600, flag: 'wx', flush: true });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
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

/** Lines carry no right edge, so that a long link stays in one piece and can be clicked. */
function frame(mail: Mail): string {
  const edge = '─'.repeat(72);
  const lines = [`To:      ${mail.to}`, `Subject: ${mail.subject}`, '', ...mail.text.trimEnd().split(/\r?\n/)];
  const body = lines.map((line) => `│ ${line.replace(/\p{Cc}/gu, ' ')}`.trimEnd());
  return [`┌${edge}`, ...body, `└${edge}`, ''].join('\n');
}
