import { Readable } from 'node:stream';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { parseHookLine } from '../../src/cli/hook/hook-line.ts';
import { runHook } from '../../src/cli/hook/run-hook.ts';
import { openSettings } from '../../src/cli/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** What a hook wrote. */
export interface HookOutput {
  stdout: string;
  stderr: string;
}

/** Runs `svc hook` with these words in this process, with a text on standard input. */
export async function runHookHere(
  words: readonly string[],
  { input, environment }: { input: string; environment: CommandContext['environment'] },
): Promise<HookOutput> {
  const output: HookOutput = { stdout: '', stderr: '' };
  const context: CommandContext = {
    terminal: {
      out(text) {
        output.stdout += text;
      },
      error(text) {
        output.stderr += text;
      },
      isTty: false,
      errorIsTty: false,
      columns: 80,
      color: false,
      closed: new AbortController().signal,
    },
    input: {
      isTty: false,
      stream: Readable.from([Buffer.from(input)]),
      ask: () => Promise.reject(new Error('not used')),
    },
    environment,
    settingsFolder: openSettings(environment).folder,
    clock: systemClock,
    session: () => Promise.reject(new Error('not used')),
    stopSignal: () => new Promise(() => {}),
  };
  await runHook(parseHookLine(words), context, 0);
  return output;
}
