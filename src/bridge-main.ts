import { mcpCommand } from './cli/commands/mcp.ts';
import { createProcessContext } from './cli/process-context.ts';
import { VERSION } from './version.ts';

/**
 * The program of the MCP bundle: `svc mcp` alone, for the address and key that the assistant puts in the environment. It
 * ends with its input, or when it is asked to stop.
 */
const terminal = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};

const stopSignal = () =>
  new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });

await mcpCommand(createProcessContext(terminal, stopSignal), VERSION).parseAsync(process.argv.slice(2), {
  from: 'user',
});
// Reading standard input would keep the process alive after a signal.
process.stdin.destroy();
