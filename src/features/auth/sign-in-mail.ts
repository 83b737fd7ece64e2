import { isIP } from 'node:net';
import type { SignInKind } from './mail-rate-limit.ts';

export interface SignInMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface SignInMailOptions {
  kind: SignInKind;
  link: string;
  email: string;
  expiresInMinutes: number;
  /** The requesting terminal's name for itself; absent for a browser sign-in. */
  device?: string | undefined;
  /** Origin of the request, such as an IP address. */
  requestedFrom?: string | undefined;
}

/**
 * Builds the mail with the sign-in link. Anyone can request a sign-in for any address, so the text the requester chose
 * (`device`) is stripped of characters that mail clients turn into links and never appears in the subject.
 */
export function signInMail(options: SignInMailOptions): SignInMail {
  const { kind, link, email, expiresInMinutes, device = '', requestedFrom } = options;
  const copy = COPIES[kind](email, displayable(device));
  const origin = requestedFrom === undefined ? '' : ` It was requested from ${displayableOrigin(requestedFrom)}.`;
  const validity = `The link works once and expires in ${expiresInMinutes} minutes.${origin}`;
  const content: Content = { ...copy, validity, link };
  return { to: email, subject: copy.title, text: asText(content), html: asHtml(content) };
}

interface MailCopy {
  title: string;
  opening: string;
  button: string;
  effect: string;
  disclaimer: string;
}

interface Content extends MailCopy {
  validity: string;
  link: string;
}

function browserCopy(email: string): MailCopy {
  return {
    title: 'Sign in to svc',
    opening: `Open this link to sign in as ${email}:`,
    button: 'Sign in',
    effect: 'Signing in creates a new API key. If you already have one, it stops working immediately.',
    disclaimer: 'If you did not request this email, ignore it: nothing happens until the link is used.',
  };
}

function terminalCopy(email: string, device: string): MailCopy {
  return {
    title: 'Sign in to svc from a terminal',
    opening: `A terminal on “${device}” wants to sign in as ${email}. Open this link to get the code for it:`,
    button: 'Show the code',
    effect:
      'Type the code only into that terminal and do not share it. ' +
      'The terminal then gets a new API key. If you already have one, it stops working.',
    disclaimer: 'If you did not start this in a terminal, ignore this email: nothing happens without the code.',
  };
}

function deviceCopy(email: string, device: string): MailCopy {
  return {
    title: 'Connect a device to svc',
    opening: `A terminal on “${device}” wants to connect to the account of ${email}. Open this link to allow it:`,
    button: 'Allow the device…',
    effect:
      'The page asks for the code that the terminal shows. The device can then read and change your memories until you ' +
      'revoke it. Your API key does not change.',
    disclaimer: 'If you did not start this in a terminal, ignore this email: nothing happens without the code.',
  };
}

function clientCopy(email: string): MailCopy {
  return {
    title: 'Connect a program to svc',
    opening: `A program wants to use the memories of ${email}. Open this link in the browser in which you began:`,
    button: 'Show the request',
    effect:
      'The page shows what the program asks for. Nothing happens until you allow it there. Your API key does not change.',
    disclaimer: 'If you did not just connect a program to svc, ignore this email. Do not forward it to anyone.',
  };
}

const COPIES: Record<SignInKind, (email: string, device: string) => MailCopy> = {
  browser: browserCopy,
  terminal: terminalCopy,
  device: deviceCopy,
  client: clientCopy,
};

/** Keeps letters, digits and a few signs, at most 60. Drops dots, colons and slashes, which turn a name into a link. */
function displayable(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}_'’()-]+/gu, ' ')
    .trim();
  return [...plain].slice(0, 60).join('') || 'unnamed';
}

function displayableOrigin(origin: string): string {
  return isIP(origin) ? origin : displayable(origin);
}

function asText({ opening, link, validity, effect, disclaimer }: Content): string {
  return `${[opening, link, validity, effect, disclaimer].join('\n\n')}\n`;
}

const PAGE = 'margin:0;padding:32px 16px;background:#f4f4f2;color:#1c1c1a;font:16px/1.5 system-ui,sans-serif';
const CARD =
  'max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #e2e2dd;border-radius:12px';
const BUTTON =
  'display:inline-block;padding:12px 24px;border-radius:8px;background:#1c1c1a;color:#fff;font-weight:600;' +
  'text-decoration:none';
const SMALL = 'margin:16px 0 0;color:#5f5f5a;font-size:14px;overflow-wrap:anywhere';

function asHtml({ title, opening, button, link, validity, effect, disclaimer }: Content): string {
  const href = escapeHtml(link);
  const small = [validity, effect, disclaimer].map((line) => `<p style="${SMALL}">${escapeHtml(line)}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
</head>
<body style="${PAGE}">
<div style="${CARD}">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(title)}</h1>
<p style="margin:0 0 24px">${escapeHtml(opening)}</p>
<p style="margin:0 0 24px"><a href="${href}" style="${BUTTON}">${escapeHtml(button)}</a></p>
<p style="${SMALL}">Or copy this address into your browser:<br>${href}</p>
${small.join('\n')}
</div>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
