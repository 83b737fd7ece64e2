/**
 * The page after the confirmation of a terminal sign-in. It gives the code to the terminal by itself where that runs on
 * this machine. Nothing depends on it: where the terminal is elsewhere, or the browser forbids the call, the code stays
 * on the page to be typed. The answer is opaque (`no-cors`), so the code stays in sight in either case.
 */
async function handOver(): Promise<void> {
  const place = document.querySelector<HTMLElement>('[data-hand-over-url]');
  const status = document.getElementById('hand-over-status');
  const url = place?.dataset.handOverUrl;
  if (!place || !status || !url) return;
  try {
    await fetch(url, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
    place.classList.add('is-handed-over');
    status.className = 'success';
    status.textContent = 'Your terminal has it; you can close this page.';
  } catch {
    status.textContent = 'The terminal did not take the code by itself: type it there.';
  }
}

function selectCodeOnPress(): void {
  const code = document.getElementById('code');
  code?.addEventListener('click', () => getSelection()?.selectAllChildren(code));
}

document.addEventListener('DOMContentLoaded', () => {
  selectCodeOnPress();
  void handOver();
});
