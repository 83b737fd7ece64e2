import { EXAMPLE_MEMORY } from './memories-operations.ts';
import { tagged } from './operations.ts';

const SPACE = {
  id: 'ten_01a2016dc1a07b1e8d3f5a6b7c8d9e0f',
  name: 'team',
  role: 'owner',
  state: 'joined',
  invitedBy: null,
  members: 2,
  tier: 'Free',
  storedBytes: 1832,
  createdAt: '2026-11-27T04:12:00.000Z',
};

const MEMBER = {
  id: 'mbr_01a2016dc1a07b1e8d3f5a6b7c8d9e10',
  email: 'lin@example.com',
  role: 'writer',
  state: 'invited',
  invitedBy: 'ada@example.com',
  createdAt: '2026-11-27T04:13:00.000Z',
  joinedAt: null,
  expiresAt: '2026-12-04T04:13:00.000Z',
};

const JOINED = { ...MEMBER, state: 'joined', joinedAt: '2026-11-27T04:20:00.000Z', expiresAt: null };

const LOGGED = {
  id: 'log_01a2016dc1a07b1e8d3f5a6b7c8d9e11',
  at: '2026-11-27T04:13:00.000Z',
  actor: 'ada@example.com',
  action: 'invited',
  subject: 'lin@example.com',
  detail: 'writer',
};

const COPY = { ...EXAMPLE_MEMORY, metadata: { copiedFrom: EXAMPLE_MEMORY.id }, author: 'ada@example.com' };

/** Of the caller's own account, with the scope to manage it. */
const MANAGED = { scope: 'account', personal: true } as const;

export const SPACE_OPERATIONS = tagged('spaces', {
  'POST /v1/spaces': {
    ...MANAGED,
    id: 'spaces.create',
    summary: 'Make a space',
    description:
      'Makes a space: a memory that several accounts share, of which the caller is owner. Requests act in it with the header `X-Svc-Space`.',
    request: { name: SPACE.name },
    answer: { ...SPACE, members: 1, storedBytes: 0 },
    etag: true,
    once: true,
    location: true,
    errors: ['unprocessable'],
  },
  'GET /v1/spaces': {
    id: 'spaces.list',
    summary: 'List your spaces',
    personal: true,
    description: 'Lists the spaces that the caller has joined or is invited to, the newest first.',
    answer: { data: [SPACE], nextCursor: null, makers: 'everyone' },
  },
  'GET /v1/spaces/{id}': {
    id: 'spaces.get',
    summary: 'Get a space',
    personal: true,
    description: 'Returns a space that the caller has joined or is invited to.',
    answer: SPACE,
    etag: true,
  },
  'PATCH /v1/spaces/{id}': {
    ...MANAGED,
    id: 'spaces.update',
    summary: 'Rename a space',
    description: 'Renames a space. For owners. `If-Match` ignores everything but the name.',
    request: { name: SPACE.name },
    answer: SPACE,
    etag: true,
  },
  'DELETE /v1/spaces/{id}': {
    ...MANAGED,
    id: 'spaces.delete',
    summary: 'Erase a space',
    description:
      'Erases a space with everything in it, for all members, at once and for good. For owners. `If-Match` ignores everything but the name.',
    etag: true,
  },
  'POST /v1/spaces/{id}/join': {
    ...MANAGED,
    id: 'spaces.join',
    summary: 'Accept an invitation',
    description: 'Accepts an invitation, which is bound to the address of the account.',
    answer: { ...SPACE, role: 'writer', invitedBy: 'ada@example.com' },
    etag: true,
    errors: ['gone', 'unprocessable'],
  },
  'POST /v1/spaces/{id}/leave': {
    ...MANAGED,
    id: 'spaces.leave',
    summary: 'Leave a space',
    description: 'Leaves a space, or declines an invitation. What the caller wrote stays. The only owner cannot leave.',
    errors: ['conflict'],
  },
  'GET /v1/spaces/{id}/members': {
    id: 'spaces.members.list',
    summary: 'List the members of a space',
    personal: true,
    description: 'Lists the members of a space and who is invited. For members.',
    answer: { data: [MEMBER], nextCursor: null },
  },
  'POST /v1/spaces/{id}/members': {
    ...MANAGED,
    id: 'spaces.members.invite',
    summary: 'Invite somebody',
    description:
      'Invites an address: svc mails a link that names the space and the caller. Only the account with this address can join, for 7 days. Inviting again sends the link again. For owners.',
    request: { email: MEMBER.email, role: MEMBER.role },
    answer: MEMBER,
    etag: true,
    once: true,
    errors: ['conflict', 'unprocessable'],
  },
  'PATCH /v1/spaces/{id}/members/{memberId}': {
    ...MANAGED,
    id: 'spaces.members.update',
    summary: 'Change the role of a member',
    description:
      'Changes the role of a member or an invitation, from the next request on. One owner remains. For owners.',
    request: { role: 'reader' },
    answer: { ...JOINED, role: 'reader' },
    etag: true,
    errors: ['conflict'],
  },
  'DELETE /v1/spaces/{id}/members/{memberId}': {
    ...MANAGED,
    id: 'spaces.members.remove',
    summary: 'Remove a member',
    description:
      'Removes a member, who has no access from the next request on, or withdraws an invitation. One owner remains. For owners.',
    etag: true,
    errors: ['conflict'],
  },
  'POST /v1/spaces/{id}/copies': {
    id: 'spaces.copy',
    summary: 'Copy memories into a space',
    personal: true,
    description:
      "Copies memories of the caller's own account into a space, with the id of the original in the metadata as `copiedFrom`. For writers.",
    request: { memoryIds: ['mem_01a2016d8e3577f4b5d55323fe9aeaa9'] },
    answer: { data: [COPY], notFound: [] },
    once: true,
    errors: ['quota_exceeded'],
  },
  'GET /v1/spaces/{id}/log': {
    ...MANAGED,
    id: 'spaces.log',
    summary: 'List what happened in a space',
    description:
      'Lists who invited, joined, changed roles, left, exported and imported in 400 days, the latest first. For owners.',
    answer: { data: [LOGGED], nextCursor: null },
  },
});
