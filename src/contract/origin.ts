import type { Message } from './conversations.ts';

/** Who said something. `program`: neither a person nor a model. `extraction`: a model, from what was said. */
export const ORIGINS = ['person', 'assistant', 'tool', 'program', 'import', 'extraction'] as const;
export type Origin = (typeof ORIGINS)[number];

const OF_ROLE: Readonly<Record<Message['role'], Origin>> = {
  user: 'person',
  assistant: 'assistant',
  tool: 'tool',
  system: 'program',
};

/** Returns who said a message. */
export function originOfRole(role: Message['role']): Origin {
  return OF_ROLE[role];
}

/** Whether what one said may take the place of what another said: tools, which read pages of strangers, replace only tools. */
export function mayReplace(newer: Origin | null, older: Origin | null): boolean {
  return newer !== 'tool' || older === 'tool';
}

/** Names whoever said a memory, for people. */
export const ORIGIN_TITLES: Readonly<Record<Origin, string>> = {
  person: 'a person',
  assistant: 'an assistant',
  tool: 'a tool',
  program: 'a program',
  import: 'an import',
  extraction: 'a model, from a conversation',
};

const MARKS: Readonly<Record<Origin, string | undefined>> = {
  person: undefined,
  assistant: 'assistant',
  tool: 'tool',
  program: 'program',
  import: 'imported',
  extraction: 'extracted',
};

/** Returns the word that stands beside a memory wherever a model reads it, unless a person said it or nobody knows who. */
export function originMark(origin: Origin | null): string | undefined {
  return origin === null ? undefined : MARKS[origin];
}
