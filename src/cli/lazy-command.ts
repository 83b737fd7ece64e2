import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

/** A command whose code is loaded only when it is called. */
export interface LazyCommand {
  name: string;
  summary: string;
  /** The heading it is listed under in `svc --help`. */
  group: string;
  load(): Promise<Command>;
}

export type LoadContext = () => Promise<CommandContext>;
