import { html, type Markup, NOTHING } from '../../lib/html.ts';
import type { OAuthScope } from './oauth-scope.ts';

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
export function consentCard({ attributes, fields = NOTHING, facts }: ConsentCard): Markup {
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
