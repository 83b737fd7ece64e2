import type { Command } from 'commander';
import type { Memory } from '../../contract/memories.ts';
import type { CommandContext } from '../command-context.ts';
import { type Forgettable, forgetCommandOf } from '../items/forget-command.ts';
import { MEMORY } from '../memory/find-id.ts';
import { memoryCard } from '../memory/memory-card.ts';

const HELP = `
Shows what will be erased and asks first. --yes skips the question and is
required when input is not a terminal. A forgotten memory is gone with all its
versions; to replace one and keep its history, use svc add --supersedes.

Examples:
  $ svc forget 8c1f04d2
  $ svc list --tag trial --all | cut -f1 | xargs svc forget --yes`;

const MEMORIES: Forgettable<Memory> = {
  id: MEMORY,
  get: (client, id) => client.memories.get(id),
  delete: (client, id, options) => client.memories.delete(id, options),
  show: (memories, labels, look) => {
    const cards = memories.map((memory) => memoryCard(memory, { label: labels.get(memory.id)! }, look));
    return `${cards.join('\n\n')}\n\n`;
  },
};

/** `svc forget`: erases memories permanently, after showing them. */
export function forgetCommand(context: CommandContext): Command {
  return forgetCommandOf(context, MEMORIES, HELP);
}
