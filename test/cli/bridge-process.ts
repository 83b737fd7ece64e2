import { mcpCommand } from '../../src/cli/commands/mcp.ts';
import { systemClock } from '../../src/lib/clock.ts';

/**
 * Runs `svc mcp` in a separate process, with the session from the environment, for tests that use an assistant's SDK.
 */

const { BRIDGE_URL = '', BRIDGE_KEY = '', BRIDGE_FOLDER = '' } = process.env;

const command = mcpCommand(
  {
    terminal: {
      out: (text) => void process.stdout.write(text),
      error: (text) => void process.stderr.write(text),
      isTty: false,
      errorIsTty: false,
      columns: 80,
      color: false,
      closed: new AbortController().signal,
    },
    input: { isTty: false, stream: process.stdin, ask: () => Promise.reject(new Error('No terminal')) },
    environment: { home: '', platform: process.platform, cwd: process.cwd(), env: {} },
    settingsFolder: BRIDGE_FOLDER,
    clock: systemClock,
    async session() {
      if (BRIDGE_KEY === '') throw Object.assign(new Error('Not signed in'), { name: 'NotSignedInError' });
      return { profileName: 'default', url: BRIDGE_URL, apiKey: BRIDGE_KEY };
    },
    stopSignal: () => new Promise((resolve) => process.once('SIGTERM', () => resolve('SIGTERM'))),
  },
  '1.2.3',
);
await command.parseAsync(process.argv.slice(2), { from: 'user' });
process.exit(0);
