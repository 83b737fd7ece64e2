import { computed, signal } from '@preact/signals';
import type { Space } from '../client/client.ts';
import type { Fetch } from '../client/fetch.ts';
import { SCOPES, type Scope } from '../contract/scopes.ts';
import type { SpaceMakers } from '../contract/spaces.ts';
import { hrefOf, spaceOfPage } from './router.ts';

/** The name of the own account among spaces. */
export const OWN_MEMORY = 'Your memory';

/** The spaces that the account has joined or is invited to, the newest first. */
export const spaces = signal<readonly Space[]>([]);

/** Who may make spaces here. */
export const spaceMakers = signal<SpaceMakers>('everyone');

/** Those that the account has joined, by name. */
export const joinedSpaces = computed(() =>
  spaces.value.filter(({ state }) => state === 'joined').sort((one, other) => one.name.localeCompare(other.name)),
);

/** Those that the account is invited to. */
export const invitations = computed(() => spaces.value.filter(({ state }) => state === 'invited'));

/** The space in which the page acts; undefined in the own account. */
export const currentSpace = computed(() => joinedSpaces.value.find(({ id }) => id === spaceOfPage));

/** What the page may do where it acts: no more than the session and, in a space, the role. */
export const scope = signal<Scope>('account');

/** Whether the page may do what needs a scope. What it may not do is not offered. */
export function may(needed: Scope): boolean {
  return SCOPES.indexOf(scope.value) >= SCOPES.indexOf(needed);
}

/** Spaces, other than that of the page, that the account may write to. */
export const writableSpaces = computed(() =>
  joinedSpaces.value.filter(({ id, role }) => id !== spaceOfPage && role !== 'reader'),
);

/** The address of the page that says how to connect an assistant to what the page shows. */
export function hrefOfConnecting(): string {
  return spaceOfPage === undefined ? hrefOf('connect') : hrefOf('spaces', { id: spaceOfPage });
}

/** Wraps a `fetch` to say when the daemon refuses a call, which may mean that the membership has changed. */
export function noticingRefusals(fetch: Fetch, onRefusal: () => void): Fetch {
  return async (url, request) => {
    const response = await fetch(url, request);
    if ([401, 403, 404].includes(response.status)) onRefusal();
    return response;
  };
}
