import type { Message } from './conversations.ts';

/** Names who said a message. Only a message of the user goes by its name alone: nobody else passes for a person. */
export function speakerOf({ role, name }: Pick<Message, 'role' | 'name'>): string {
  if (role === 'user') return name ?? role;
  if (role === 'tool') return 'a tool';
  return name === null ? role : `${name} (${role})`;
}
