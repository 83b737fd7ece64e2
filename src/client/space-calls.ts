import type {
  CopiedMemories,
  MemberChange,
  NewMember,
  NewSpace,
  Space,
  SpaceLogEntry,
  SpaceLogQuery,
  SpaceMember,
  SpaceMembers,
  Spaces,
} from '../contract/spaces.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

/** Calls for spaces and their members. `id` is that of the space. */
export function spaceCalls({ send, create, list }: Transport) {
  const path = (id: string) => `/v1/spaces/${encodeURIComponent(id)}`;
  const memberPath = (id: string, memberId: string) => `${path(id)}/members/${encodeURIComponent(memberId)}`;
  return {
    /** Makes a space, of which the caller is owner. */
    create: (space: NewSpace, options?: CreateOptions): ApiPromise<Space> => create('/v1/spaces', space, options),
    /** Lists the spaces that the caller has joined or is invited to, the newest first. */
    list: (options?: CallOptions): ApiPromise<Spaces> => send('GET', '/v1/spaces', undefined, options),
    get: (id: string, options?: CallOptions): ApiPromise<Space> => send('GET', path(id), undefined, options),
    /** Renames a space. */
    update: (id: string, change: NewSpace, options?: ChangeOptions): ApiPromise<Space> =>
      send('PATCH', path(id), change, options),
    /** Erases a space with everything in it, for all members. */
    delete: (id: string, options?: ChangeOptions): ApiPromise<void> => send('DELETE', path(id), undefined, options),
    /** Accepts an invitation. */
    join: (id: string, options?: CallOptions): ApiPromise<Space> =>
      send('POST', `${path(id)}/join`, undefined, options),
    /** Leaves a space, or declines an invitation. */
    leave: (id: string, options?: CallOptions): ApiPromise<void> =>
      send('POST', `${path(id)}/leave`, undefined, options),
    members: {
      /** Lists members and who is invited. */
      list: (id: string, options?: CallOptions): ApiPromise<SpaceMembers> =>
        send('GET', `${path(id)}/members`, undefined, options),
      /** Mails an invitation, which only the account with this address can accept. */
      invite: (id: string, member: NewMember, options?: CreateOptions): ApiPromise<SpaceMember> =>
        create(`${path(id)}/members`, member, options),
      /** Changes the role of a member or an invitation. */
      update: (id: string, memberId: string, change: MemberChange, options?: ChangeOptions): ApiPromise<SpaceMember> =>
        send('PATCH', memberPath(id, memberId), change, options),
      /** Removes a member, or withdraws an invitation. */
      remove: (id: string, memberId: string, options?: ChangeOptions): ApiPromise<void> =>
        send('DELETE', memberPath(id, memberId), undefined, options),
    },
    /** Copies memories of the caller's own account into the space. */
    copy: (id: string, memoryIds: string[], options?: CreateOptions): ApiPromise<CopiedMemories> =>
      create(`${path(id)}/copies`, { memoryIds }, options),
    /** Lists who did what in the space, the latest first. */
    log: (id: string, query?: SpaceLogQuery, options?: CallOptions): PagePromise<SpaceLogEntry> =>
      list(`${path(id)}/log`, query, options),
  };
}
