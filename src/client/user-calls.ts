import type { ProfileQuery, UserProfile } from '../contract/profile.ts';
import type { User, UsersQuery } from '../contract/users.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import { queryString, type Transport } from './transport.ts';

/** Calls for the end users of the account. */
export function userCalls({ send, list }: Transport) {
  const path = (user: string) => `/v1/users/${encodeURIComponent(user)}`;
  return {
    /** Returns a digest of what is remembered about a user, as assistants read it from `memory://profile`. */
    profile: (query: ProfileQuery = {}, options?: CallOptions): ApiPromise<UserProfile> =>
      send('GET', `/v1/profile${queryString(query)}`, undefined, options),
    /** Lists users with how much is stored of each, latest first. */
    list: (query?: UsersQuery, options?: CallOptions): PagePromise<User> => list('/v1/users', query, options),
    get: (user: string, options?: CallOptions): ApiPromise<User> => send('GET', path(user), undefined, options),
    /** Erases a user with everything stored and learned. */
    delete: (user: string, options?: ChangeOptions): ApiPromise<void> => send('DELETE', path(user), undefined, options),
  };
}
