import { html, type Markup, NOTHING } from '../../lib/html.ts';
import { layout } from './page-layout.ts';

/** The page that a mailed link opens. Showing it consumes nothing. */
export interface ConfirmPage {
  token: string;
  /** The address to sign in. */
  email: string;
  /** The terminal's name for itself, if a terminal requested this sign-in. */
  device?: string | undefined;
}

/** The page of a link that allows a device. */
export interface DevicePage {
  token: string;
  email: string;
  device: string;
}

export interface CodePage {
  code: string;
  device: string;
  /** The terminal's loopback URL (`http://127.0.0.1:…`) with code and state, if it listens for one. */
  loopbackUrl?: string | undefined;
}

function signInForm(token: string): Markup {
  return html`<form method="post" action="/v1/auth/callback">
<input type="hidden" name="token" value="${token}">
<div class="buttons"><button type="submit" class="primary">Sign in</button></div>
</form>`;
}

/**
 * Renders the page that a mailed link opens. Nothing is consumed until the button is pressed, so that mail scanners
 * cannot sign anyone in. For a terminal sign-in it warns first: an attacker who starts one for someone else's address
 * depends on this click.
 */
export function confirmPage({ token, email, device }: ConfirmPage): string {
  const account = html`<p>This link signs in <span class="person">${email}</span>.</p>`;
  if (device === undefined) {
    const body = html`<div class="card">
${account}
<p class="caution"><strong>Signing in creates a new API key.</strong> If you already have one, it stops working immediately, and assistants that use it disconnect until you give them the new one.</p>
${signInForm(token)}
<p class="hint">Nothing happens until you press the button. If you did not request this link, close this page.</p>
</div>`;
    return layout({ title: 'Sign in', body });
  }
  const body = html`<div class="card">
${account}
<p>It was requested from a terminal on <span class="person">${device}</span>. The next page shows a code to type there.</p>
<p class="caution"><strong>Continue only if you just ran <code>svc login</code> yourself.</strong> If someone sent you this link or asks you for the code, close this page: the code lets them read your memories.</p>
${signInForm(token)}
<p class="hint">Once the terminal has the code, it gets a new API key. If you already have one, it stops working.</p>
</div>`;
  return layout({ title: 'Sign in to svc from a terminal', body });
}

/**
 * Renders the page of a link that allows a device. The code comes from the terminal: a person who was only sent the link
 * does not know it.
 */
export function allowPage({ token, email, device }: DevicePage): string {
  const body = html`<div class="card">
<p>A terminal on <span class="person">${device}</span> wants to connect to the account of <span class="person">${email}</span>.</p>
<p class="caution"><strong>Continue only if you just ran <code>svc login --device</code> yourself.</strong> If someone sent you this link or a code, close this page: the device could read and change your memories.</p>
<form method="post" action="/v1/auth/callback" class="form">
<input type="hidden" name="token" value="${token}">
<label for="device-code">The code that the terminal shows</label>
<div class="field-row">
<input id="device-code" name="code" required maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX">
<button type="submit" class="primary">Allow</button>
</div>
</form>
<p class="hint">Your API key does not change. Revoke the device at any time in the web app or with <code>svc connections revoke</code>.</p>
</div>`;
  return layout({ title: 'Connect a device', body });
}

/** Renders what follows once a device was allowed. */
export function allowedPage(device: string): string {
  const body = html`<div class="card">
<p><span class="person">${device}</span> is connected. Return to its terminal; you can close this page.</p>
</div>`;
  return layout({ title: 'Device connected', body });
}

/** Renders the one-time code of a terminal sign-in. Its script delivers the code if the terminal runs on this machine. */
export function codePage({ code, device, loopbackUrl }: CodePage): string {
  const loopbackAttribute = loopbackUrl === undefined ? NOTHING : html` data-loopback-url="${loopbackUrl}"`;
  const status = loopbackUrl === undefined ? '' : 'Looking for the terminal on this computer…';
  const body = html`<div class="card"${loopbackAttribute}>
<p id="instruction">Type this code into the terminal on <span class="person">${device}</span> where <code>svc login</code> is waiting:</p>
<p class="code" id="code">${code}</p>
<p class="hint" id="delivery-status" role="status" aria-live="polite">${status}</p>
<p class="caution"><strong>Do not share this code.</strong> Type it only into the terminal where you ran <code>svc login</code>, never into a chat, an email or another web page.</p>
<p class="hint">The code works once and expires in a few minutes. Case and the dash do not matter.</p>
</div>`;
  return layout({
    title: 'Your sign-in code',
    body,
    script: html`<script src="/dashboard/code-page.js"></script>`,
  });
}

/** Renders why a link could not be used. For a sign-in, adds a button to request a new one. */
export function failurePage({ message, isForDevice }: { message: string; isForDevice: boolean }): string {
  const button = isForDevice
    ? NOTHING
    : html`<div class="buttons"><a class="button primary" href="/dashboard">Request a new link</a></div>`;
  const body = html`<div class="card">
<p>${message}</p>
${button}
</div>`;
  return layout({ title: isForDevice ? 'The device was not connected' : 'Sign-in failed', body });
}

/**
 * Security headers of every page: only the daemon's own files load and run, no framing, no `Referer`, no caching.
 * `loopbackPort` additionally allows the code page to connect to the terminal.
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
