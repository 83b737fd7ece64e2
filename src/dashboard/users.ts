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
