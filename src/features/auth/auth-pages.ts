/** What a mail client or a person who opens the link sees before anything is consumed. */
export interface ConfirmPage {
  token: string;
  /** The address that the link signs in. */
  email: string;
  /** Set where a terminal asked for this sign-in: the name it gave for itself. */
  device?: string | undefined;
}

export interface CodePage {
  code: string;
  device: string;
  /** The terminal's own `http://127.0.0.1:…` address with code and state, where it listens for it. */
  loopbackUrl?: string | undefined;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** A template whose every interpolated text is escaped; `Markup` of its own making passes as it is. */
function html(strings: TemplateStringsArray, ...values: (string | Markup)[]): Markup {
  const parts = values.map((value, index) => {
    const text = value instanceof Markup ? value.text : escapeHtml(value);
    return `${text}${strings[index + 1] ?? ''}`;
  });
  return new Markup(`${strings[0] ?? ''}${parts.join('')}`);
}

class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const NOTHING = html``;

function layout({ title, body, script = NOTHING }: { title: string; body: Markup; script?: Markup }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – svc</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<link rel="icon" href="/dashboard/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/dashboard/dashboard.css">
${script}
</head>
<body>
<header class="bar"><div class="bar-inner">
<p class="brand"><img src="/dashboard/favicon.svg" alt="" width="28" height="28"> svc <span class="brand-role">memory</span></p>
</div></header>
<main class="sign-in">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}

function signInForm(token: string): Markup {
  return html`<form method="post" action="/v1/auth/callback">
<input type="hidden" name="token" value="${token}">
<div class="buttons"><button type="submit" class="primary">Sign in</button></div>
</form>`;
}

/**
 * The page behind a mailed link: one button, nothing consumed until it is pressed, so that a mail scanner signs nobody
 * in. Where a terminal asked, it warns first: whoever starts a sign-in for someone else's address lives on a click here.
 */
export function confirmPage({ token, email, device }: ConfirmPage): string {
  const account = html`<p>This link signs in <span class="person">${email}</span>.</p>`;
  if (device === undefined) {
    const body = html`<div class="card">
${account}
<p class="caution"><strong>Signing in makes a new key.</strong> The old one stops working at once, and so do assistants set up with it until they have the new one.</p>
${signInForm(token)}
<p class="hint">Nothing happens until you press the button. If you did not ask for this link, close the page.</p>
</div>`;
    return layout({ title: 'Sign in', body });
  }
  const body = html`<div class="card">
${account}
<p>A terminal called <span class="person">${device}</span> asked for it. You will be shown a code to type there.</p>
<p class="caution"><strong>Continue only if you started this yourself</strong>, just now, with <code>svc login</code>. If someone sent you here or asks you for the code, close this page: with the code they could read your memory.</p>
${signInForm(token)}
<p class="hint">When the terminal has the code, a new key is made and the old one stops working.</p>
</div>`;
  return layout({ title: 'Sign in at a terminal', body });
}

/** Shows the one-time code of a terminal sign-in, and lets the page's script hand it over on this same machine. */
export function codePage({ code, device, loopbackUrl }: CodePage): string {
  const loopbackAttribute = loopbackUrl === undefined ? NOTHING : html` data-loopback-url="${loopbackUrl}"`;
  const status = loopbackUrl === undefined ? '' : 'Looking for the terminal on this computer…';
  const body = html`<div class="card"${loopbackAttribute}>
<p>Type it into the terminal <span class="person">${device}</span>, where <code>svc login</code> is waiting:</p>
<p class="code" id="code">${code}</p>
<p class="hint" id="delivery-status" role="status" aria-live="polite">${status}</p>
<p class="caution"><strong>Give it to nobody.</strong> It belongs into the terminal that you started yourself and nowhere else: not into a chat, a mail or a web page.</p>
<p class="hint">The code works once, for a few minutes. Capital or small letters, with or without the dash.</p>
</div>`;
  return layout({
    title: 'Your code',
    body,
    script: html`<script src="/dashboard/code-page.js"></script>`,
  });
}

/** A page that only says something: that a link is used up, expired or none, say. Leads on to asking for a new one. */
export function messagePage({ title, message }: { title: string; message: string }): string {
  const body = html`<div class="card">
<p>${message}</p>
<div class="buttons"><a class="button primary" href="/dashboard">Ask for a new link</a></div>
</div>`;
  return layout({ title, body });
}

/**
 * The headers of every page: nothing but the daemon's own files runs or is called, no page frames it, no address leaks
 * by Referer, nothing is kept. `loopbackPort` opens the one connection that a code page needs, to the terminal.
 */
export function pageHeaders({ loopbackPort }: { loopbackPort?: number | undefined } = {}): Record<string, string> {
  const terminal = loopbackPort === undefined ? '' : ` http://127.0.0.1:${loopbackPort}`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self'${terminal}`,
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
