import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { HOOK_CLIENTS, HOOK_EVENTS } from '../hook/hook-event.ts';
import { DEFAULT_LIMIT_MS, type HookCall, runHook } from '../hook/run-hook.ts';

/**
 * `svc hook`. Exits with 0 whatever happens, also for a wrong command line: assistants take other codes for a reason to
 * block the prompt. `src/main.ts` runs hooks without this command, which is there for its help.
 */
export function hookCommand(context: CommandContext): Command {
  return new Command('hook')
    .description(
      `Recalls memories for an assistant and stores what is said, when the assistant reports an event.\n\nEvents: ${HOOK_EVENTS.join(', ')}\nClients: ${HOOK_CLIENTS.join(', ')}`,
    )
    .argument('[event]', 'what happened; its details are the JSON on standard input')
    .option('--client [name]', 'the assistant that reports it')
    .option('--timeout [milliseconds]', `how long it may take in all (default: ${DEFAULT_LIMIT_MS})`)
    .option('--debug', 'say on standard error why nothing was done', false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((event: string | undefined, options: HookCall) => runHook({ ...options, event }, context));
}
