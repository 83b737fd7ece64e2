/**
 * Script of the code page that ends a terminal sign-in. When the terminal runs on this machine, sends the code to its
 * loopback listener. If that fails, because the terminal runs elsewhere or the browser blocks the request, the user
 * types the code. The response is opaque (`no-cors`), so the code stays visible either way.
 */
async function deliverCode(): Promise<void> {
  const card = document.querySelector<HTMLElement>('[data-loopback-url]');
  const status = document.getElementById('delivery-status');
  const url = card?.dataset.loopbackUrl;
  if (!card || !status || !url) return;
  try {
    await fetch(url, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
    card.classList.add('is-delivered');
    status.className = 'success';
    status.textContent = 'Code sent to your terminal. You can close this page.';
    sayDelivered();
  } catch {
    status.textContent = 'Could not reach the terminal from this browser. Type the code there.';
  }
}

/** The code stays, for a terminal that did not get it after all. */
function sayDelivered(): void {
  const heading = document.querySelector('h1');
  const instruction = document.getElementById('instruction');
  if (heading) heading.textContent = 'Continue in your terminal';
  if (instruction) instruction.textContent = 'If the terminal still waits, type this code there:';
  document.title = 'Continue in your terminal – svc';
}

function selectCodeOnClick(): void {
  const code = document.getElementById('code');
  code?.addEventListener('click', () => getSelection()?.selectAllChildren(code));
}

document.addEventListener('DOMContentLoaded', () => {
  selectCodeOnClick();
  void deliverCode();
});
