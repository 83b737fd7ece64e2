import type { Account } from '../../../src/contract/account.ts';
import { SPACE_HEADER, type Space, type SpaceMember, type SpaceRole } from '../../../src/contract/spaces.ts';
import type { CallOptions } from '../../helpers/daemon.ts';
import { type Caller, createCaller, type MemoryDaemon } from '../memories/memory-daemon.ts';

/** An account with its address. */
export interface Person extends Caller {
  email: string;
}

export async function newPerson(daemon: MemoryDaemon): Promise<Person> {
  const caller = await daemon.account();
  const { body } = await caller.call<Account>('/v1/account');
  return { ...caller, email: body.email };
}

/** The same account, acting in a space. */
export function inSpace(daemon: MemoryDaemon, { apiKey, tenantId }: Caller, space: string): Caller {
  const call = <T>(key: string | undefined, path: string, options: CallOptions = {}) =>
    daemon.call<T>(key, path, { ...options, headers: { ...options.headers, [SPACE_HEADER]: space } });
  return createCaller(call, apiKey, tenantId);
}

export async function newSpace(owner: Caller, name = 'team'): Promise<Space> {
  const { status, body, text } = await owner.call<Space>('/v1/spaces', { body: { name } });
  if (status !== 201) throw new Error(text);
  return body;
}

export async function invite(owner: Caller, space: Space, email: string, role: SpaceRole): Promise<SpaceMember> {
  const { status, body, text } = await owner.call<SpaceMember>(`/v1/spaces/${space.id}/members`, {
    body: { email, role },
  });
  if (status !== 201) throw new Error(text);
  return body;
}

/** Invites a person, who joins. */
export async function addMember(owner: Caller, space: Space, person: Person, role: SpaceRole): Promise<SpaceMember> {
  const member = await invite(owner, space, person.email, role);
  const { status, text } = await person.call(`/v1/spaces/${space.id}/join`, { method: 'POST' });
  if (status !== 200) throw new Error(text);
  return member;
}
