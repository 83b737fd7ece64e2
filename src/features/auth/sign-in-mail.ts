import { isIP } from 'node:net';

export interface SignInMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface SignInMailOptions {
  link: string;
  email: string;
  expiresInMinutes: number;
  /** What the terminal that asks calls itself; absent for a sign-in in the browser. */
  device?: string | undefined;
  /** Where the request came from, e.g. an IP address. */
  requestedFrom?: string | undefined;
}

/**
 * The mail with the sign-in link. Anyone may ask for a sign-in of any address: what the asker chose (`device`) is shown
 * without the characters that a mail program would turn into a link, and never in the subject.
 */
export function signInMail(options: SignInMailOptions): SignInMail {
  const { link, email, expiresInMinutes, device, requestedFrom } = options;
  const copy = device === undefined ? browserCopy(email) : terminalCopy(email, displayable(device));
  const origin = requestedFrom === undefined ? '' : ` It was asked for from ${displayableOrigin(requestedFrom)}.`;
  const validity = `The link works once and for ${expiresInMinutes} minutes.${origin}`;
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
    effect: 'Signing in gives you a new API key. The one you had stops working at once.',
    disclaimer: 'If you did not ask for this mail, ignore it: nothing happens until the link is used.',
  };
}

function terminalCopy(email: string, device: string): MailCopy {
  return {
    title: 'Sign in to svc in a terminal',
    opening: `A terminal on “${device}” asks to sign in as ${email}. Open this link to get its code:`,
    button: 'Show the code',
    effect:
      'Type the code into that terminal only, and give it to nobody. ' +
      'The terminal then gets a new API key, and the one you had stops working.',
    disclaimer:
      'If you did not ask for this at a terminal of yours, ignore this mail: nothing happens without the code.',
  };
}

/** Letters, digits and a few signs, at most 60 of them. No dots, colons or slashes, which make a link of a name. */
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
