interface Entry {
  link: HTMLAnchorElement;
  item: HTMLLIElement;
  title: string;
  /** Title, path, description and names of fields. */
  text: string;
}

/** Filters the contents by what is typed. `/` or Ctrl-K focuses the field, the arrow keys walk through the matches. */
export function addSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search-field')!;
  const status = document.querySelector<HTMLElement>('#search-status')!;
  const nav = document.querySelector<HTMLElement>('nav')!;
  let entries: Entry[] = [];
  let matches: Entry[] = [];

  function filter(): void {
    if (entries.length === 0) entries = [...nav.querySelectorAll<HTMLAnchorElement>('ul ul a')].map(entryOf);
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    matches = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    for (const entry of entries) entry.item.hidden = !matches.includes(entry);
    for (const list of nav.querySelectorAll<HTMLElement>('ul ul')) {
      list.parentElement!.hidden = !list.querySelector('li:not([hidden])');
    }
    status.textContent = words.length === 0 ? '' : countText(matches.length);
  }

  function clear(): void {
    field.value = '';
    filter();
    field.focus();
  }

  /** The first match in whose title all words occur, or else the first match. */
  function best(): Entry | undefined {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    return matches.find(({ title }) => words.every((word) => title.includes(word))) ?? matches[0];
  }

  field.addEventListener('input', filter);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && field.value.trim() !== '') best()?.link.click();
  });
  document.querySelector('#contents')!.addEventListener('keydown', (event) => {
    const { key, target } = event as KeyboardEvent;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step === undefined) return;
    const links = [...nav.querySelectorAll<HTMLAnchorElement>('a')].filter((link) => link.offsetParent !== null);
    const next = links[links.indexOf(target as HTMLAnchorElement) + step];
    if (next) next.focus();
    else if (step < 0) field.focus();
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (key === 'Escape' && field.value !== '') clear();
    const isTyping = target instanceof HTMLInputElement && target.type !== 'radio';
    const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping;
    if (!isSlash && !(key === 'k' && (ctrlKey || metaKey))) return;
    event.preventDefault();
    document.dispatchEvent(new Event('open-contents'));
    field.focus();
    field.select();
  });
}

function entryOf(link: HTMLAnchorElement): Entry {
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)))!;
  const section = target.closest('section')!;
  const names = [...section.querySelectorAll('.route, .about > p, .fields code')].map((one) => one.textContent);
  const title = `${link.textContent} ${section.querySelector('h2, h3')?.textContent}`.toLowerCase();
  const text = [title, section.id, ...(section.matches('.endpoint') ? names : [section.textContent])];
  return { link, item: link.closest('li')!, title, text: text.join(' ').toLowerCase() };
}

function countText(count: number): string {
  if (count === 0) return 'Nothing matches';
  return `${count} ${count === 1 ? 'match' : 'matches'}`;
}
