import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ParsedMail {
  /** Values by lower-case name; a repeated header has several. */
  headers: Map<string, string[]>;
  to: string;
  from: string;
  subject: string;
  messageId: string;
  text: string;
  html: string;
  raw: string;
}

interface MailFile extends ParsedMail {
  /** The file name; names sort in the order of sending. */
  name: string;
}

export interface Mailbox {
  /** All mails to `email`, oldest first. */
  mailsTo(email: string): Promise<MailFile[]>;
  /** The newest mail to `email`, and newer than the mail named `after` if given. Waits up to fifteen seconds. */
  waitForMail(email: string, options?: { after?: string | undefined }): Promise<MailFile>;
  /** The link in that mail. */
  latestLink(email: string, options?: { after?: string | undefined }): Promise<string>;
}

/** Reads the `.eml` files that the folder transport writes. */
export function openMailbox(folder: string): Mailbox {
  /** The mails of this folder that were parsed; a mail never changes once it has its name. */
  const parsed = new Map<string, MailFile>();

  async function mailsTo(email: string): Promise<MailFile[]> {
    const names = await readdir(folder).catch(() => []);
    const mails: MailFile[] = [];
    for (const name of names.filter((entry) => entry.endsWith('.eml')).sort()) {
      const mail = parsed.get(name) ?? { name, ...parseMail(await readFile(join(folder, name), 'utf8')) };
      parsed.set(name, mail);
      mails.push(mail);
    }
    return mails.filter((mail) => mail.to.toLowerCase() === email.toLowerCase());
  }

  async function waitForMail(email: string, { after = '' }: { after?: string | undefined } = {}): Promise<MailFile> {
    for (const deadline = performance.now() + 15_000; performance.now() < deadline; await sleep(10)) {
      const newest = (await mailsTo(email)).at(-1);
      if (newest && newest.name > after) return newest;
    }
    throw new Error(`No mail to ${email} within fifteen seconds`);
  }

  return {
    mailsTo,
    waitForMail,
    async latestLink(email, options) {
      const { text } = await waitForMail(email, options);
      const link = /https?:\/\/\S+/.exec(text)?.[0];
      if (!link) throw new Error(`The mail to ${email} contains no link`);
      return link;
    },
  };
}

/** Parses mails as svc writes them: one level of multipart, quoted-printable or base64, UTF-8. */
export function parseMail(raw: string): ParsedMail {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="?([^";]+)"?/i.exec(one(headers, 'content-type'))?.[1];
  const chunks = boundary ? body.split(`--${boundary}`).slice(1, -1) : [raw];
  const parts = chunks.map((chunk) => splitPart(chunk.replace(/^\r?\n/, '').replace(/\r?\n$/, '')));
  const partOf = (type: string) => {
    const part = parts.find((candidate) => one(candidate.headers, 'content-type').startsWith(type));
    return part ? decodeBody(part) : '';
  };
  return {
    headers,
    to: one(headers, 'to'),
    from: one(headers, 'from'),
    subject: decodeWords(one(headers, 'subject')),
    messageId: one(headers, 'message-id'),
    text: partOf('text/plain'),
    html: partOf('text/html'),
    raw,
  };
}

interface Part {
  headers: Map<string, string[]>;
  body: string;
}

function splitPart(raw: string): Part {
  const [head = '', ...rest] = raw.split(/\r?\n\r?\n/);
  const headers = new Map<string, string[]>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { headers, body: rest.join('\n\n') };
}

function one(headers: Map<string, string[]>, name: string): string {
  return headers.get(name)?.join(', ') ?? '';
}

function decodeBody({ headers, body }: Part): string {
  const encoding = one(headers, 'content-transfer-encoding').toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  const text = body.replaceAll('\r\n', '\n');
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(text.replaceAll('=\n', '')) : text;
}

function decodeQuotedPrintable(text: string): string {
  return Buffer.from(
    Buffer.from(text, 'utf8')
      .toString('latin1')
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}

/** Decodes RFC 2047 encoded words. */
function decodeWords(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuotedPrintable(word.replaceAll('_', ' ')),
    );
}
