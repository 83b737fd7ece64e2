import { Command, Option } from 'commander';
import { createBatchingTransport } from '../bridge/batching-transport.ts';
import { runBridge } from '../bridge/bridge.ts';
import { createHttpTransport, endpointIn } from '../bridge/http-transport.ts';
import { createLineWriter } from '../bridge/line-writer.ts';
import { createToolCache } from '../bridge/tool-cache.ts';
import { TOOL_SETS } from '../bridge/tool-sets.ts';
import type { CommandContext } from '../command-context.ts';
import { SPACE_OPTION } from '../memory/command-options.ts';

interface McpOptions {
  profile?: string;
  space?: string;
  spaces?: string;
  tools?: 'tidy' | 'extract' | 'chatgpt';
  debug?: true;
}

const HELP = `
Assistants start it from the entry that svc mcp-config writes. It reads the key
from the keychain, so the assistant's own file contains none. Without a sign-in
or a daemon it keeps running and reports the problem in tool results. It acts in
your own account, whatever svc space use chose, unless --space names a space. With
--spaces, it recalls from several, and writes where it acts.

Example:
  $ svc mcp --debug                   the protocol on standard output, a log on standard error`;

/** `svc mcp`: the stdio bridge to the daemon's MCP endpoint. Standard output carries only the protocol. */
export function mcpCommand(context: CommandContext, version: string): Command {
  const { terminal, input, settingsFolder, environment, session, stopSignal } = context;
  return new Command('mcp')
    .description('speak MCP on standard input and output, for assistants')
    .option('--profile <name>', 'the account to use, if there are several [SVC_PROFILE]')
    .option(...SPACE_OPTION)
    .option('--spaces <names>', 'what is read together, such as default,team')
    .addOption(
      new Option('--tools <set>', 'offer other tools: to tidy or extract memories, or search and fetch').choices([
        'tidy',
        'extract',
        'chatgpt',
      ]),
    )
    .option('--debug', 'log to standard error (no keys, no memories)')
    .addHelpText('after', HELP)
    .action(async ({ profile, space, spaces, tools, debug }: McpOptions) => {
      const toolSet = TOOL_SETS[tools ?? 'everyday'];
      // Not the space of `svc space use`: what a person chooses at a terminal must not redirect assistants.
      const path = endpointIn({ space: space ?? (environment.env.SVC_SPACE || undefined), spaces }, toolSet.path);
      const stop = new AbortController();
      const lines = createLineWriter(terminal.out);
      void stopSignal().then(() => stop.abort());
      await runBridge({
        input: input.stream,
        write: lines.write,
        session: () => session(profile),
        transport: createBatchingTransport(createHttpTransport(path)),
        toolCache: createToolCache(settingsFolder, toolSet),
        toolSet,
        version,
        log: debug ? (text) => terminal.error(`svc mcp: ${text}\n`) : () => {},
        stop: AbortSignal.any([stop.signal, terminal.closed]),
      });
      lines.flush();
    });
}
