import type { SpaceLogEntry } from '../../../client/client.ts';
import type { SpaceRole } from '../../../contract/space-names.ts';

/** What a role may do, as a sentence about its holder ends. */
export const ROLE_WORDS: Record<SpaceRole, string> = {
  reader: 'search and read what is in it',
  writer: 'read, add, change and erase what is in it',
  owner: 'change what is in it, manage its members and erase it',
};

/** Says what a member did, without who it was. */
export function describeEntry({ action, subject, detail }: SpaceLogEntry): string {
  const name = `“${detail}”`;
  switch (action) {
    case 'created':
      return `created the space ${name}`;
    case 'renamed':
      return `renamed it to ${name}`;
    case 'invited':
      return `invited ${subject} as ${detail}`;
    case 'joined':
      return `joined as ${detail}`;
    case 'declined':
      return 'declined the invitation';
    case 'changedRole':
      return `made ${subject} ${detail}`;
    case 'removed':
      return `removed ${subject}, who was ${detail}`;
    case 'left':
      return 'left';
    case 'copied':
      return detail === '1' ? 'copied a memory into it' : `copied ${detail} memories into it`;
    case 'exported':
      return 'exported it';
    case 'imported':
      return 'imported a file';
  }
}
