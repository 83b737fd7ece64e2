import { join } from 'node:path';
import { CommanderError } from 'commander';
import type { McpConfigContext } from '../../../src/cli/assistants/build-entry.ts';
import { mcpConfigCommand } from '../../../src/cli/commands/mcp-config.ts';
import { CommandFailure, NotSignedInError } from '../../../src/cli/failure.ts';
import type { Environment } from '../../../src/cli/settings.ts';

export const API_KEY = `svc_live_${'a'.repeat(28)}c0de`;

export interface RunOptions {
  environment: Environment;
  /** Lines that the user types. Without it, input is not a terminal. */
  answers?: string[];
  signedIn?: boolean;
  profile?: string;
  color?: boolean;
  context?: Partial<McpConfigContext>;
}

/** Runs `svc mcp-config` with fake dependencies and captures its output. */
export async function runMcpConfig(argv: string[], options: RunOptions) {
  const output = { out: '', error: '' };
  const { environment, answers, signedIn = true, profile = 'default', color = false } = options;
  const context: McpConfigContext = {
    environment,
    terminal: {
      out(text) {
        output.out += text;
      },
      error(text) {
        output.error += text;
      },
      isTty: answers !== undefined,
      errorIsTty: answers !== undefined,
      columns: 200,
      color,
      closed: new AbortController().signal,
    },
    input: {
      isTty: answers !== undefined,
      stream: (async function* () {})(),
      async ask(question) {
        output.error += question;
        return answers?.shift() ?? '';
      },
    },
    async session() {
      if (!signedIn) throw new NotSignedInError();
      return { profileName: profile, url: 'http://localhost:8787', apiKey: API_KEY };
    },
    settings: { profileName: (requested) => requested ?? profile, profile: () => undefined, overrides: {} },
    program: { node: '/opt/node/bin/node', script: join(environment.home, 'svc/bin/svc') },
    ...options.context,
  };
  try {
    await mcpConfigCommand(context)
      .exitOverride()
      .configureOutput({ writeOut: context.terminal.out, writeErr: context.terminal.error })
      .parseAsync(argv, { from: 'user' });
    return { ...output, exitCode: 0 };
  } catch (error) {
    if (error instanceof CommanderError) return { ...output, exitCode: error.exitCode === 0 ? 0 : 2 };
    if (!(error instanceof CommandFailure)) throw error;
    return { ...output, error: output.error + error.message, exitCode: error.exitCode };
  }
}
