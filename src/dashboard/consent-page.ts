/**
 * Script of the page that asks whether an OAuth client may use the account. It asks the daemon with the session of this
 * browser: the request that opened the page came from another site, and carried no cookie. Without a session, a form asks
 * for the address to which svc mails a link.
 */

interface Details {
  email: string;
  client: string;
  verifiedHost: string | null;
  destination: string;
  scope: string;
}

interface Refusal {
  detail?: string;
  returnTo?: string;
}

const REQUEST = location.search.slice(1);
const CONSENT = '/v1/oauth/consent';
const CARDS = ['opening', 'signed-out', 'refused', 'consent'];

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function show(card: string): void {
  for (const id of CARDS) element(id).hidden = id !== card;
}

function refuse({ detail, returnTo }: Refusal): void {
  element('refusal').textContent = detail ?? 'svc did not answer as expected. Reload this page.';
  const link = element<HTMLAnchorElement>('return');
  link.hidden = returnTo === undefined;
  if (returnTo !== undefined) link.href = returnTo;
  show('refused');
}

/** Repeats a request that the rate limit refuses, and says so. */
async function patiently(path: string, request?: RequestInit): Promise<Response> {
  const notice = element('waiting');
  for (;;) {
    const response = await fetch(path, request);
    notice.hidden = response.status !== 429;
    if (response.status !== 429) return response;
    // A proxy may send a date, or nothing.
    const seconds = Math.max(1, Number(response.headers.get('retry-after')) || 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

async function ask(): Promise<void> {
  const response = await patiently(`${CONSENT}?${new URLSearchParams({ request: REQUEST })}`);
  // Without a session, or with one that may not manage the account.
  if (response.status === 401 || response.status === 403) return show('signed-out');
  if (!response.ok) return refuse((await response.json()) as Refusal);
  const { email, client, verifiedHost, destination, scope } = (await response.json()) as Details;
  element('email').textContent = email;
  element('client').textContent = client;
  element('verified').textContent =
    verifiedHost === null ? 'No: any program can use this name' : `Yes, by ${verifiedHost}`;
  element('destination').textContent = destination;
  element('may-write').hidden = scope !== 'memory';
  element('consent').querySelector<HTMLInputElement>(`input[value="${scope}"]`)!.checked = true;
  show('consent');
}

async function answer(allow: boolean): Promise<void> {
  const form = element<HTMLFormElement>('consent');
  const buttons = [...form.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    const session = await patiently('/v1/session');
    if (session.status === 401) return show('signed-out');
    const { csrf } = (await session.json()) as { csrf: string };
    const scope = new FormData(form).get('scope');
    const response = await patiently(CONSENT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-csrf': csrf },
      body: JSON.stringify({ request: REQUEST, allow, ...(allow && { scope }) }),
    });
    if (!response.ok) return refuse((await response.json()) as Refusal);
    location.replace(((await response.json()) as { redirectTo: string }).redirectTo);
  } catch {
    const failure = element('failure');
    failure.textContent = 'svc cannot be reached. Try again.';
    failure.hidden = false;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function start(): void {
  ask().catch(() => refuse({ detail: 'svc cannot be reached. Reload this page.' }));
}

element('consent').addEventListener('submit', (event) => {
  event.preventDefault();
  void answer((event.submitter as HTMLButtonElement | null)?.value === 'allow');
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && !element('signed-out').hidden) start();
});
show('opening');
start();
