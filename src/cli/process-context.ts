import { systemClock } from '../lib/clock.ts';
import type { CommandContext, CommandInput, CommandTerminal, Terminal } from './command-context.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';
import { type Environment, openSettings, processEnvironment } from './settings.ts';

/** Creates the command context of this process. Dependencies that few commands need are loaded lazily. */
export function createProcessContext(terminal: Terminal, stopSignal: () => Promise<string>): CommandContext {
  const environment = processEnvironment();
  const settings = openSettings(environment);
  const context = {
    terminal: processTerminal(terminal, environment),
    input: processInput(),
    environment,
    settingsFolder: settings.folder,
    clock: systemClock,
    stopSignal,
  };
  return {
    ...context,
    async session(profile, space) {
      const [{ openSession }, { createKeychain }] = await Promise.all([
        import('./session.ts'),
        import('../outside/keychain/keychain.ts'),
      ]);
      const { env, platform } = environment;
      const keychain = createKeychain({
        env,
        platform,
        timeoutMs: context.input.isTty ? 60_000 : 10_000,
        onSlow: () => terminal.error('Waiting for the keychain; it may be asking you to unlock it.\n'),
      });
      return openSession({ settings, keychain, profile, space });
    },
  };
}

let closed: AbortController | undefined;

/** Returns a signal, one per process, that aborts when the reader of standard output goes away (`| head`). */
function outputClosed(): AbortSignal {
  if (!closed) {
    const controller = new AbortController();
    process.stdout.on('error', () => controller.abort(new CommandFailure(EXIT.done)));
    closed = controller;
  }
  return closed.signal;
}

function processTerminal(terminal: Terminal, { env }: Environment): CommandTerminal {
  const { stdout, stderr } = process;
  const isTty = stdout.isTTY === true;
  return {
    ...terminal,
    isTty,
    errorIsTty: stderr.isTTY === true && env.TERM !== 'dumb',
    columns: (isTty ? stdout.columns : stderr.columns) || 80,
    color: isTty && !env.NO_COLOR && env.TERM !== 'dumb',
    closed: outputClosed(),
  };
}

function processInput(): CommandInput {
  const { stdin, stderr } = process;
  return {
    isTty: stdin.isTTY === true,
    stream: stdin,
    async ask(question, options) {
      if (options?.hidden) return (await import('./hidden-prompt.ts')).promptHidden(question, { stdin, stderr });
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: stdin, output: stderr });
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      try {
        return await Promise.race([lines.question(question), ended]);
      } finally {
        lines.close();
      }
    },
  };
}
