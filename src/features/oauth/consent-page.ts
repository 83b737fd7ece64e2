import { html } from '../../lib/html.ts';
import { layout } from '../auth/page-layout.ts';

/** Renders the page that asks whether a client may use the account. Its script fills it in and shows one of its cards. */
export function consentPage(): string {
  const body = html`<noscript><p class="card">This page needs JavaScript.</p></noscript>
<div class="card" id="opening"><p role="status">Loading the request…</p></div>
<div class="card" id="signed-out" hidden>
<p>A program wants to use your memories. Sign in to svc in this browser first, then return to this page.</p>
<div class="buttons"><a class="button primary" href="/dashboard" target="_blank">Sign in</a><button type="button" id="retry">I am signed in</button></div>
<p class="hint">On a machine that has your API key, <code>svc open</code> signs its browser in. A mailed link does too, but replaces the key.</p>
</div>
<div class="card" id="refused" hidden>
<p class="error" id="refusal" role="alert"></p>
<div class="buttons"><a class="button" id="return" rel="noreferrer" hidden>Return to the program</a></div>
</div>
<form class="card" id="consent" hidden>
<p><strong class="person" id="client"></strong> wants to use the memories of <span class="person" id="email"></span>.</p>
<dl class="facts">
<dt>Name verified</dt><dd id="verified"></dd>
<dt>Sends you to</dt><dd class="person" id="destination"></dd>
</dl>
<fieldset class="choices">
<legend>It may</legend>
<label id="may-write"><input type="radio" name="scope" value="memory"> read, add, change and delete memories</label>
<label><input type="radio" name="scope" value="memory:read"> only read memories</label>
</fieldset>
<p class="caution"><strong>Allow only what you started yourself.</strong> If you did not just connect a program to svc, press Deny.</p>
<div class="buttons"><button type="submit" class="primary" value="allow">Allow</button><button type="submit" value="deny">Deny</button></div>
<p class="error" id="failure" role="alert" hidden></p>
<p class="hint">You can end the connection at any time, under Connect in the web app or with <code>svc connections</code>. It cannot manage your account.</p>
</form>`;
  const script = html`<script src="/dashboard/consent-page.js" defer></script>`;
  return layout({ title: 'Connect a program to svc', body, script });
}
