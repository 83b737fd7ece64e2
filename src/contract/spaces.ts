import { type Static, Type } from 'typebox';
import { AnyId, Nullable, Page, PageQuery, strict } from './common.ts';
import { Tier } from './limits.ts';
import { AddedMemories } from './memories.ts';
import { MAX_READ_SPACES, OWN_SPACE, ROLES_IN_SPACE } from './space-names.ts';

export { OWN_SPACE, ROLES_IN_SPACE, SPACE_HEADER, type SpaceRole } from './space-names.ts';

/** The most spaces that an account owns, by tier: each has quotas of its own. */
export const OWNED_SPACES: Record<Tier, number> = { Free: 3, Pro: 20, Enterprise: 100 };
/** The most spaces that an account is in. */
export const MAX_JOINED_SPACES = 100;
/** The most members of a space, those invited included. */
export const MAX_MEMBERS = 100;
/** What stands in place of the address of an erased account. */
export const FORMER_MEMBER = 'a former member';
/** How long an invitation can be accepted. */
export const INVITATION_DAYS = 7;

/** The spaces that a request reads, each on its own; what is found is joined. */
export const ReadSpaces = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_READ_SPACES,
  uniqueItems: true,
  description: 'Ids or names of spaces to read together, `default` for the own account. Each counts as one query',
});

export const SpaceRoleName = Type.Enum([...ROLES_IN_SPACE], {
  description: 'reader: search and read. writer: also add, change and erase. owner: also members, keys and erasure',
});
export const MEMBER_STATES = ['invited', 'joined'] as const;
export const MemberState = Type.Enum([...MEMBER_STATES]);

/** Whether a name would be taken for an id, or for the caller's own account. */
export function isReserved(name: string): boolean {
  return name === OWN_SPACE || name.startsWith('ten_');
}

const SpaceName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f](.*[^\\s\\u0000-\\u001f\\u007f])?$',
  description: 'Not `default`, and not beginning with `ten_`',
});

/** A new space, or a new name for one. */
export const NewSpace = Type.Object({ name: SpaceName }, strict);
export type NewSpace = Static<typeof NewSpace>;

export const Space = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: SpaceRoleName,
  state: MemberState,
  invitedBy: Nullable(
    Type.String({ description: 'The address of who invited the caller; null for who made the space' }),
  ),
  members: Nullable(Type.Integer({ description: 'Members who joined; null for who is only invited' })),
  tier: Nullable(Tier),
  storedBytes: Nullable(Type.Integer({ description: 'UTF-8 bytes of text; null for who is only invited' })),
  createdAt: Type.String({ format: 'date-time' }),
});
export type Space = Static<typeof Space>;
/** Who may make spaces. */
export const SPACE_MAKERS = ['everyone', 'operator'] as const;
export const SpaceMakers = Type.Enum([...SPACE_MAKERS], { description: 'Who may make spaces on this daemon' });
export type SpaceMakers = (typeof SPACE_MAKERS)[number];
export const Spaces = Type.Object({ ...Page(Space).properties, makers: SpaceMakers });
export type Spaces = Static<typeof Spaces>;

export const NewMember = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254 }), role: SpaceRoleName },
  strict,
);
export type NewMember = Static<typeof NewMember>;
export const MemberChange = Type.Object({ role: SpaceRoleName }, strict);
export type MemberChange = Static<typeof MemberChange>;

export const SpaceMember = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: SpaceRoleName,
  state: MemberState,
  invitedBy: Nullable(Type.String()),
  createdAt: Type.String({ format: 'date-time' }),
  joinedAt: Nullable(Type.String({ format: 'date-time' })),
  expiresAt: Nullable(Type.String({ format: 'date-time', description: 'Until when an invitation can be accepted' })),
});
export type SpaceMember = Static<typeof SpaceMember>;
export const SpaceMembers = Page(SpaceMember);
export type SpaceMembers = Static<typeof SpaceMembers>;

export const MemberParams = Type.Object({
  id: Type.String({ maxLength: 300 }),
  memberId: Type.String({ maxLength: 300 }),
});

/** Memories of the caller's own account to copy into a space. */
export const SpaceCopies = Type.Object(
  { memoryIds: Type.Array(AnyId, { minItems: 1, maxItems: 200, uniqueItems: true }) },
  strict,
);
export type SpaceCopies = Static<typeof SpaceCopies>;

export const CopiedMemories = Type.Object({
  ...AddedMemories.properties,
  notFound: Type.Array(Type.String(), { description: 'The ids that the account has no memory with' }),
});
export type CopiedMemories = Static<typeof CopiedMemories>;

export const SPACE_ACTIONS = [
  ...(['created', 'renamed', 'invited', 'joined', 'declined', 'changedRole', 'removed', 'left'] as const),
  ...(['copied', 'exported', 'imported'] as const),
] as const;
export type SpaceAction = (typeof SPACE_ACTIONS)[number];

export const SpaceLogEntry = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time' }),
  actor: Type.String({ description: 'The address of who did it' }),
  action: Type.Enum([...SPACE_ACTIONS]),
  subject: Nullable(Type.String({ description: 'The address of whom it concerns' })),
  detail: Nullable(Type.String({ description: 'The role, the name or the number of items' })),
});
export type SpaceLogEntry = Static<typeof SpaceLogEntry>;
export const SpaceLogPage = Page(SpaceLogEntry);
export type SpaceLogPage = Static<typeof SpaceLogPage>;
export const SpaceLogQuery = Type.Object({ ...PageQuery }, strict);
export type SpaceLogQuery = Static<typeof SpaceLogQuery>;
