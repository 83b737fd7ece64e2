import { computed, signal } from '@preact/signals';
import { VIEW_NAMES, type ViewName } from '../contract/view-names.ts';

/** Parameters of a view, which hold all of its state. An undefined or empty value leaves the parameter out. */
export type ViewParameters = Record<string, string | readonly string[] | undefined>;

const ROOT = '/dashboard';

/**
 * The id of the space that the page shows; undefined for the own account. It stays as long as the page does: another space
 * is another load of the page, so that nothing that was loaded of one is ever shown, or sent, in another.
 */
export const spaceOfPage = spaceIn(location.search);

const address = signal(location.pathname + location.search);

/** The view at the current address; undefined for an address that names none. */
export const currentView = computed<ViewName | undefined>(() => {
  const path = address.value.split('?')[0]!.replace(/\/$/, '');
  if (path === ROOT) return 'home';
  return VIEW_NAMES.find((name) => path === `${ROOT}/${name}`);
});

/** The parameters of the current address. */
export const parameters = computed(() => new URLSearchParams(address.value.replace(/^[^?]*/, '')));

/** The end user that the app shows; undefined for all of them. Kept while the view changes. */
export const chosenUser = computed(() => parameters.value.get('user') ?? undefined);

/** Returns the address of a view in the space of the page, with the chosen user unless the parameters name another. */
export function hrefOf(view: ViewName, given: ViewParameters = {}): string {
  const query = new URLSearchParams();
  const all: ViewParameters = { space: spaceOfPage, user: chosenUser.value, ...given };
  for (const [name, value] of Object.entries(all)) {
    for (const one of [value ?? []].flat()) if (one !== '') query.append(name, one);
  }
  const text = query.toString();
  return `${ROOT}${view === 'home' ? '' : `/${view}`}${text && `?${text}`}`;
}

/** Shows another view, or the same one with other parameters, and adds it to the tab's history. */
export function navigate(view: ViewName, given: ViewParameters = {}): void {
  goTo(hrefOf(view, given), 'push');
}

/** Changes some parameters of the current view. `replace` suits what changes with every keystroke or arrow key. */
export function changeParameters(changes: ViewParameters, how: 'push' | 'replace' = 'push'): void {
  goTo(hrefWith(changes), how);
}

/** Returns the address of the current view with some parameters changed. */
export function hrefWith(changes: ViewParameters): string {
  const view = currentView.value ?? 'home';
  const kept = [...parameters.value.keys()].map((name) => [name, parameters.value.getAll(name)] as const);
  return hrefOf(view, { ...Object.fromEntries(kept), ...changes });
}

function goTo(href: string, how: 'push' | 'replace'): void {
  if (href === address.value) return;
  if (spaceIn(new URL(href, location.href).search) !== spaceOfPage) {
    location.assign(href);
    return;
  }
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  address.value = href;
}

/** Makes links between views and the browser's buttons change the view without loading the page again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    if (spaceIn(location.search) !== spaceOfPage) return location.reload();
    address.value = location.pathname + location.search;
  });
  document.addEventListener('click', (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = (event.target as Element | null)?.closest?.('a[href]');
    if (event.defaultPrevented || !isPlain || !(link instanceof HTMLAnchorElement)) return;
    const isView = link.origin === location.origin && (link.pathname === ROOT || link.pathname.startsWith(`${ROOT}/`));
    if (!isView || link.target || link.hasAttribute('download')) return;
    event.preventDefault();
    goTo(link.pathname + link.search, 'push');
  });
}

function spaceIn(search: string): string | undefined {
  return new URLSearchParams(search).get('space') || undefined;
}
