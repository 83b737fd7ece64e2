import { Command } from 'commander';
import { runBridge } from '../bridge/bridge.ts';
import { createExchange } from '../bridge/exchange.ts';
import { createKnownTools } from '../bridge/known-tools.ts';
import type { CommandContext } from '../command-context.ts';

const HELP = `
Assistants start it by themselves: \`svc mcp-config\` writes the entry. It reads the key from the keychain, so the
assistant's own file holds none. Without a sign-in or a daemon it stays up and says so as a tool's result.

Example:
  $ svc mcp --debug                   the protocol on standard output, what happens on standard error`;

/** `svc mcp`: the stdio bridge to the daemon's MCP door. Standard output carries protocol and nothing else. */
export function mcpCommand(context: CommandContext, version: string): Command {
  const { terminal, input, settingsFolder, session, stopSignal } = context;
  return new Command('mcp')
    .description('speak MCP on standard input and output, for assistants')
    .option('--profile <name>', 'the account to use, where there are several [SVC_PROFILE]')
    .option('--debug', 'say on standard error what happens (no key, no memory)')
    .addHelpText('after', HELP)
    .action(async ({ profile, debug }: { profile?: string; debug?: true }) => {
      const stop = new AbortController();
      void stopSignal().then(() => stop.abort());
      await runBridge({
        input: input.stream,
        write: (line) => terminal.out(`${line}\n`),
        session: () => session(profile),
        exchange: createExchange(),
        knownTools: createKnownTools(settingsFolder),
        version,
        log: debug ? (text) => terminal.error(`svc mcp: ${text}\n`) : () => {},
        stop: AbortSignal.any([stop.signal, terminal.closed]),
      });
    });
}
