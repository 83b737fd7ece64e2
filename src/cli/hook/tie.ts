import type { Space } from '../../contract/spaces.ts';
import type { KnownSpace } from '../acting-space.ts';
import type { Settings } from '../settings.ts';
import { type HookDaemon, requestDaemon } from './daemon-request.ts';
import { projectFolder } from './project-name.ts';

/**
 * Returns the space that the project of a folder is tied to. Ties are in the settings of this machine, by the folder of
 * the project: nothing in a repository, such as its origin, can redirect what is said in it.
 */
export async function tieOf({ ties }: Pick<Settings, 'ties'>, folder: string): Promise<KnownSpace | undefined> {
  const tied = ties();
  if (Object.keys(tied).length === 0) return undefined;
  const path = await projectFolder(folder);
  return Object.hasOwn(tied, path) ? tied[path] : undefined;
}

/** Returns what a session in a tied project begins with. Asks the daemon, if there is one, for the state of the membership. */
export async function tieNotice(tie: KnownSpace, daemon: HookDaemon | undefined): Promise<string> {
  // The name as it was tied: another owner could rename the space to an instruction.
  const named = `the space ${JSON.stringify(tie.name)}`;
  const answer = await (daemon && requestDaemon(daemon, 'GET', `/v1/spaces/${tie.id}`).catch(() => undefined));
  const space = answer?.status === 200 ? (answer.json as Space) : undefined;
  if (answer?.status === 404 || space?.state === 'invited') {
    return `Memory of this project is off: it is tied to ${named}, of which the user is not a member. Nothing said here is stored or recalled until svc space untie, or an invitation.`;
  }
  const members = space?.members ? ` (${space.members} ${space.members === 1 ? 'member' : 'members'})` : '';
  const reads = space?.role === 'reader' ? ' The user may only read there: nothing said here is stored.' : '';
  return `Memory of this project is shared with ${named}${members}.${reads}`;
}
