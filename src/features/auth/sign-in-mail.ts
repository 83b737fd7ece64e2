import { isIP } from 'node:net';
import { displayable, type Mail, type MailContent, mailOf } from '../mail/mail-layout.ts';
import type { SignInKind } from './mail-rate-limit.ts';

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
export function signInMail(options: SignInMailOptions): Mail {
  const { kind, link, email, expiresInMinutes, device = '', requestedFrom } = options;
  const copy = COPIES[kind](email, displayable(device));
  const origin = requestedFrom === undefined ? '' : ` It was requested from ${displayableOrigin(requestedFrom)}.`;
  const validity = `The link works once and expires in ${expiresInMinutes} minutes.${origin}`;
  return mailOf(email, { ...copy, validity, link });
}

type MailCopy = Omit<MailContent, 'link' | 'validity'>;

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

function displayableOrigin(origin: string): string {
  return isIP(origin) ? origin : displayable(origin);
}
