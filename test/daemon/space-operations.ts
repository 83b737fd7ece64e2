/** How a space is read and changed by its id; `path` follows `/v1/spaces/{id}`. `guest` is the id of an invitation. */
interface SpaceOperation {
  route: string;
  method: string;
  path(guest: string): string;
  body?: object;
}

const one = (method: string, body?: object): SpaceOperation => ({
  ...{ route: `${method.toLowerCase()} /v1/spaces/{id}`, method, path: () => '' },
  ...(body && { body }),
});
const below = (method: string, name: string, body?: object): SpaceOperation => ({
  ...{ route: `${method.toLowerCase()} /v1/spaces/{id}/${name}`, method, path: () => `/${name}` },
  ...(body && { body }),
});
const member = (method: string, body?: object): SpaceOperation => ({
  ...{ route: `${method.toLowerCase()} /v1/spaces/{id}/members/{memberId}`, method },
  path: (guest) => `/members/${guest}`,
  ...(body && { body }),
});

/** In an order in which the owner of the space succeeds with each. */
export const SPACE_OPERATIONS: Record<string, SpaceOperation> = {
  read: one('GET'),
  rename: one('PATCH', { name: 'crew' }),
  'list members': below('GET', 'members'),
  invite: below('POST', 'members', { email: 'second-guest@example.com', role: 'reader' }),
  'change a role': member('PATCH', { role: 'reader' }),
  'remove a member': member('DELETE'),
  copy: below('POST', 'copies', { memoryIds: ['mem_1'] }),
  'read the log': below('GET', 'log'),
  join: below('POST', 'join'),
  leave: below('POST', 'leave'),
  erase: one('DELETE'),
};
