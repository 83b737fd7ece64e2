import { MAX_READ_SPACES, OWN_SPACE } from '../../contract/space-names.ts';
import type { Space, Spaces } from '../../contract/spaces.ts';
import type { KnownSpace } from '../acting-space.ts';
import { EVERYWHERE, OWN_ACCOUNT, type Settings } from '../settings.ts';
import { type HookDaemon, requestDaemon } from './daemon-request.ts';
import { projectFolder } from './project-name.ts';

/** What the hooks of a session read, and where they store what is said. */
export interface SessionMemory {
  /** The space that the project is tied to, where what is said is stored; absent for the own account. */
  tie?: KnownSpace;
  /** The spaces that are read together, the tied one among them. */
  reads: readonly KnownSpace[];
}

/**
 * Returns the memory of the sessions in a folder. Ties and what else is read are in the settings of this machine, by the
 * folder of the project: nothing in a repository, such as its origin, can redirect what is said in it. A tied project reads
 * its space alone unless a list for it says otherwise, because what its sessions repeat is stored for others.
 */
export async function memoryOf(settings: Pick<Settings, 'ties' | 'reads'>, folder: string): Promise<SessionMemory> {
  const [ties, reads] = [settings.ties(), settings.reads()];
  if (Object.keys({ ...ties, ...reads }).length === 0) return { reads: [OWN_ACCOUNT] };
  const path = await projectFolder(folder);
  const tie = Object.hasOwn(ties, path) ? ties[path] : undefined;
  const listed = Object.hasOwn(reads, path) ? reads[path] : tie ? [] : reads[EVERYWHERE];
  const chosen = (listed ?? [OWN_ACCOUNT]).filter(({ id }) => id !== tie?.id);
  return tie
    ? { tie, reads: [...chosen.slice(0, MAX_READ_SPACES - 1), tie] }
    : { reads: chosen.slice(0, MAX_READ_SPACES) };
}

/** Whether a session has to do with a space. */
export function isShared({ reads }: SessionMemory): boolean {
  return reads.some(({ id }) => id !== OWN_SPACE);
}

/** Lists the spaces that the user has joined; `undefined` if the daemon does not say. */
export async function joinedSpaces(daemon: HookDaemon | undefined): Promise<Space[] | undefined> {
  const answer = await (daemon && requestDaemon(daemon, 'GET', '/v1/spaces').catch(() => undefined));
  return answer?.status === 200 ? (answer.json as Spaces).data.filter(({ state }) => state === 'joined') : undefined;
}

/** Returns what a session begins with that has to do with spaces: where what is said is stored, and what is read. */
export function memoryNotice({ tie, reads }: SessionMemory, joined: readonly Space[] | undefined): string {
  const others = reads.filter(({ id }) => id !== tie?.id && id !== OWN_SPACE);
  const readsOwn = reads.some(({ id }) => id === OWN_SPACE);
  const isLost = ({ id }: KnownSpace) => joined !== undefined && !joined.some((space) => space.id === id);
  if (tie && isLost(tie)) {
    return `Memory of this project is off: it is tied to ${named(tie)}, of which the user is not a member. Nothing said here is stored or recalled until svc space untie, or an invitation.`;
  }
  const lost = others.filter(isLost);
  const read = others.filter((space) => !lost.includes(space)).map((space) => described(space, joined));
  const from = [...(readsOwn ? ["the user's own account"] : []), ...read];
  const sentences = tie
    ? [
        `Memory of this project is shared with ${described(tie, joined)}.`,
        ...(from.length > 0 ? [`It is read from ${listed(from)}, too.`] : []),
        joined?.find(({ id }) => id === tie.id)?.role === 'reader'
          ? 'The user may only read there: nothing said here is stored.'
          : 'What is said here is stored in the space, for all its members.',
      ]
    : [
        ...(from.length > 0 ? [`Memory of this session is read from ${listed(from)}.`] : []),
        "What is said here is stored in the user's own account.",
      ];
  if (lost.length > 0) sentences.push(`Nothing is read from ${listed(lost.map(named))}: the user is not a member.`);
  return sentences.join(' ');
}

/** The name as it was chosen on this machine: another owner could rename the space to an instruction. */
function named({ name }: KnownSpace): string {
  return `the space ${JSON.stringify(name)}`;
}

function described(space: KnownSpace, joined: readonly Space[] | undefined): string {
  const members = joined?.find(({ id }) => id === space.id)?.members;
  return named(space) + (members ? ` (${members} ${members === 1 ? 'member' : 'members'})` : '');
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
