import { computed, signal } from '@preact/signals';
import type { User } from '../client/client.ts';
import { chosenUser } from './router.ts';

/** The end users of the account, latest first; the user switcher loads them. */
export const users = signal<readonly User[]>([]);

/** Whether `users` has been loaded, or failed to. Until then, it is not known whom a search looks through. */
export const areUsersKnown = signal(false);

/**
 * The user whose items a search looks through: the chosen one or else the one seen last. The API searches one user at a
 * time; undefined means the user named `default`.
 */
export const searchedUser = computed(() => chosenUser.value ?? users.value[0]?.user);

/** Whether the account has several end users. While it has one, no view shows its name: it tells nothing apart. */
export const hasSeveralUsers = computed(() => users.value.length > 1);

/** Whether the items of a list say whose they are: only if they may be of several users. */
export const areOwnersShown = computed(() => hasSeveralUsers.value && chosenUser.value === undefined);

/** ` for ada`, to end a phrase with; empty while the account has one user. */
export function userPhrase(preposition: string, user: string | undefined): string {
  return user !== undefined && hasSeveralUsers.value ? ` ${preposition} ${user}` : '';
}

/** The parameter that limits a view to the user of an item; none while the account has one user. */
export function userParameter(user: string | undefined): { user?: string } {
  return user !== undefined && hasSeveralUsers.value ? { user } : {};
}
