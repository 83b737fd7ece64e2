import { html, type Markup, NOTHING } from '../../lib/html.ts';
import { layout } from '../auth/page-layout.ts';
import type { OAuthScope } from './oauth-scope.ts';

const TITLE = 'Connect a program to svc';

/** Submits to the address of the page, which has the client's request in its query. */
const MAIL_FORM = html`<p>A program wants to use your memories. Enter your email address: svc mails you a link that shows what it asks for.</p>
<form method="post" class="form">
<label for="address">Email address</label>
<div class="field-row">
<input id="address" name="email" type="email" required minlength="3" maxlength="1000" autocomplete="email" spellcheck="false">
<button type="submit" class="primary">Send link</button>
</div>
</form>
<p class="hint">Your API key does not change. If you have it at hand, you can instead <a href="/dashboard" target="_blank">sign in to the web app</a> with it, or run <code>svc open</code>, and then return to this page.</p>`;

/**
 * Renders the page that asks whether a client may use the account, the same for every request. Its script shows one of its
 * cards: with a session the question itself, otherwise the form that mails it. Without a script there is the form alone.
 */
export function consentPage(): string {
  const body = html`<noscript><div class="card">${MAIL_FORM}</div></noscript>
<p class="notice is-info" id="waiting" role="status" hidden>Too many requests. This page continues automatically in a moment.</p>
<div class="card" id="opening" hidden><p role="status">Loading the request…</p></div>
<div class="card" id="signed-out" hidden>
${MAIL_FORM}
</div>
<div class="card" id="refused" hidden>
<p class="error" id="refusal" role="alert"></p>
<div class="buttons"><a class="button" id="return" rel="noreferrer" hidden>Return to the program</a></div>
</div>
${consentCard({ attributes: html`hidden` })}`;
  const script = html`<script src="/dashboard/consent-page.js" defer></script>`;
  return layout({ title: TITLE, body, script });
}

/** Renders what follows once a link was requested. The same for every address. */
export function sentPage(email: string, { minutes, action }: { minutes: number; action: string }): string {
  const body = html`<div class="card">
<p>If <span class="person">${email}</span> can sign in here, svc has just mailed it a link. Open it in this browser within ${String(minutes)} minutes.</p>
<form action="${action}" class="form">
<label for="link">Reading the email elsewhere? Copy the address of its link, and paste it here.</label>
<div class="field-row">
<input id="link" name="token" required maxlength="1000" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="https://…">
<button type="submit">Continue</button>
</div>
</form>
<p class="hint">No email? Look among spam, or go back to correct the address. A few links per hour are sent to an address.</p>
</div>`;
  return layout({ title: 'Check your email', body });
}

/** Renders the page of a mailed link: the question, which the link answers once. */
export function confirmationPage({ token, action }: { token: string; action: string }, facts: ConsentFacts): string {
  const attributes = html`method="post" action="${action}"`;
  const fields = html`<input type="hidden" name="token" value="${token}">
`;
  return layout({ title: TITLE, body: consentCard({ attributes, fields, facts }) });
}

/** Renders the link back to the client, which the browser follows automatically (see the `Refresh` header). */
export function returnPage({ isAllowed, address }: { isAllowed: boolean; address: string }): string {
  const body = html`<div class="card">
<p role="status">Returning to the program…</p>
<div class="buttons"><a class="button primary" href="${address}" rel="noreferrer">Continue</a></div>
<p class="hint">You can close this page once the program has opened.</p>
</div>`;
  return layout({ title: isAllowed ? 'Allowed' : 'Denied', body });
}

/** Renders why a request or a link cannot be used. */
export function refusalPage({ message, returnTo }: { message: string; returnTo: string | undefined }): string {
  const link = html`<div class="buttons"><a class="button" href="${returnTo ?? ''}" rel="noreferrer">Return to the program</a></div>
`;
  const body = html`<div class="card">
<p class="error" role="alert">${message}</p>
${returnTo === undefined ? NOTHING : link}</div>`;
  return layout({ title: 'The program was not connected', body });
}

/** The request that a person decides about. */
export interface ConsentFacts {
  email: string;
  client: string;
  /** The host that vouches for the name of the client. */
  verifiedHost: string | undefined;
  /** Where the decision sends the browser. */
  destination: string;
  /** The widest scope that can be allowed. */
  scope: OAuthScope;
}

interface ConsentCard {
  /** Attributes of the form. */
  attributes: Markup;
  /** Hidden fields of the form. */
  fields?: Markup;
  /** If absent, the script of the page fills the card in. */
  facts?: ConsentFacts;
}

/** Says who vouches for the name of a client. */
function vouchingFor(verifiedHost: string | undefined): string {
  return verifiedHost === undefined ? 'No: any program can use this name' : `Yes, by ${verifiedHost}`;
}

/** Renders the question whether a client may use the memories of an account. */
function consentCard({ attributes, fields = NOTHING, facts }: ConsentCard): Markup {
  const mayWrite = facts?.scope !== 'memory:read';
  const write = html`<label id="may-write"><input type="radio" name="scope" value="memory" checked> read, add, change and delete memories</label>
`;
  return html`<form class="card" id="consent" ${attributes}>
${fields}<p><strong class="person" id="client">${facts?.client ?? ''}</strong> wants to use the memories of <span class="person" id="email">${facts?.email ?? ''}</span>.</p>
<dl class="facts">
<dt>Name verified</dt><dd id="verified">${facts ? vouchingFor(facts.verifiedHost) : ''}</dd>
<dt>Sends you to</dt><dd class="person" id="destination">${facts?.destination ?? ''}</dd>
</dl>
<fieldset class="choices">
<legend>It may</legend>
${mayWrite ? write : NOTHING}<label><input type="radio" name="scope" value="memory:read"${mayWrite ? NOTHING : html` checked`}> only read memories</label>
</fieldset>
<p class="caution"><strong>Allow only what you started yourself.</strong> If you did not just connect a program to svc, press Deny.</p>
<div class="buttons"><button type="submit" class="primary" name="decision" value="allow">Allow</button><button type="submit" name="decision" value="deny">Deny</button></div>
<p class="error" id="failure" role="alert" hidden></p>
<p class="hint">You can end the connection at any time, under Connect in the web app or with <code>svc connections</code>. It cannot manage your account.</p>
</form>`;
}
