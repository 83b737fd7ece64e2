import { addSearch } from './search.ts';

/** The theme that was chosen in the web app. */
export const THEME = 'svc.theme';
/** The kind of sample that was chosen last. */
export const SAMPLE = 'svc.sample';

/** Reads a preference of this browser. Storage is refused in some private windows: then there is none. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a preference, if storage is allowed. */
export function storePreference(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}

// Runs before the page is rendered, so that it does not show another theme first, nor the contents on a narrow screen.
const root = document.documentElement;
const theme = readPreference(THEME);
if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
root.dataset.ready = '';
document.addEventListener('DOMContentLoaded', () => {
  addSamples();
  addMenu();
  addSearch();
  followScroll();
});

/** Opens and closes the contents on narrow screens. */
export function addMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('#menu')!;
  const contents = document.querySelector<HTMLElement>('#contents')!;
  const show = (isOpen: boolean) => {
    contents.classList.toggle('open', isOpen);
    button.ariaExpanded = String(isOpen);
    button.textContent = isOpen ? 'Close' : 'Menu';
  };
  button.addEventListener('click', () => show(button.ariaExpanded !== 'true'));
  contents.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a')) show(false);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.ariaExpanded !== 'true') return;
    show(false);
    button.focus();
  });
  document.addEventListener('open-contents', () => show(true));
}

/** Marks the section being read in the contents. */
export function followScroll(): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) links.set(link.hash.slice(1), link);
  const visible = new Set<Element>();
  const sections = [...document.querySelectorAll('.endpoint, .introduction section')];
  let current: HTMLAnchorElement | undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      }
      const section = sections.find((one) => visible.has(one));
      const link = section && links.get(section.id || (section.getAttribute('aria-labelledby') ?? ''));
      if (!link || link === current) return;
      current?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'location');
      current = link;
      reveal(link);
    },
    { rootMargin: '-15% 0px -70%' },
  );
  for (const section of sections) observer.observe(section);
}

/** Scrolls the contents, but not the page, so that a link is visible. */
function reveal(link: HTMLElement): void {
  const contents = link.closest<HTMLElement>('.contents')!;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = contents.getBoundingClientRect();
  if (top < frame.top + 60 || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3;
}

/** Shows the page's own address in samples, remembers the kind of sample for all operations, and adds copy buttons. */
export function addSamples(): void {
  for (const origin of document.querySelectorAll('.origin')) origin.textContent = location.origin;
  for (const code of document.querySelectorAll('.panel pre')) code.after(copyButton(code as HTMLElement));
  choose(readPreference(SAMPLE));
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    storePreference(SAMPLE, target.value);
    // Samples above may have changed their height.
    scrollBy(0, target.getBoundingClientRect().top - before);
  });
}

/** Chooses a kind of sample wherever there is one, and curl elsewhere. */
function choose(kind: string | undefined): void {
  for (const group of document.querySelectorAll('.panel fieldset')) {
    const options = [...group.querySelectorAll('input')];
    const option = options.find(({ value }) => value === kind) ?? options[0];
    if (option) option.checked = true;
  }
}

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const text = code.textContent;
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Press Ctrl-C';
    if (!copied) getSelection()?.selectAllChildren(code.firstElementChild ?? code);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  return button;
}
