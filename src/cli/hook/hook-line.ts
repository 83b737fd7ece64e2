import { parseArgs } from 'node:util';
import type { Terminal } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { createProcessContext } from '../process-context.ts';
import { type HookCall, runHook } from './run-hook.ts';

const OPTIONS = { client: { type: 'string' }, timeout: { type: 'string' }, debug: { type: 'boolean' } } as const;

/** Runs the words after `svc hook` as the command does, without loading the commands and their parser. */
export async function runHookLine(
  words: readonly string[],
  terminal: Terminal,
  stopSignal: () => Promise<string>,
): Promise<number> {
  await runHook(parseHookLine(words), createProcessContext(terminal, stopSignal));
  return EXIT.done;
}

export function parseHookLine(words: readonly string[]): HookCall {
  const { positionals, values } = parseArgs({ args: [...words], options: OPTIONS, strict: false });
  return { event: positionals[0], ...values };
}
