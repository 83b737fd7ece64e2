import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { CommandContext, SetExitCode, Terminal } from './command-context.ts';

/** A command of which only the name and a line are known until it is called. */
export interface LazyCommand {
  name: string;
  summary: string;
  /** The heading that it stands under in `svc --help`. */
  group: string;
  load(): Promise<Command>;
}

export interface CommandDependencies {
  version: string;
  terminal: Terminal;
  stopSignal: () => Promise<string>;
  setExitCode: SetExitCode;
  /** The program with the code of every command, for `completion`. */
  loadProgram: () => Promise<Command>;
}

/**
 * Every command, in the order of `svc --help`. The code of each is loaded only when it is called, so that `svc login`
 * loads no database and `svc --help` nothing at all.
 */
export function listCommands({
  version,
  terminal,
  stopSignal,
  setExitCode: endWith,
  loadProgram,
}: CommandDependencies): LazyCommand[] {
  const context = async () => (await import('./process-context.ts')).createProcessContext(terminal, stopSignal);
  return [
    ...accountCommands(context),
    ...assistantCommands(context, version),
    ...memoryCommands(context),
    ...providerCommands(context),
    {
      name: 'serve',
      summary: 'run the daemon',
      group: 'The daemon:',
      load: async () => (await import('./commands/serve.ts')).serveCommand(version, terminal, stopSignal, endWith),
    },
    {
      name: 'admin',
      summary: "tenants, tiers, invitations, checks and backups, on the daemon's machine",
      group: 'The daemon:',
      load: async () => (await import('./commands/admin.ts')).adminCommand(terminal, endWith, context),
    },
    {
      name: 'completion',
      summary: 'complete svc in your shell',
      group: 'More:',
      load: async () => (await import('./commands/completion.ts')).completionCommand(terminal, loadProgram),
    },
  ];
}

type LoadContext = () => Promise<CommandContext>;

function accountCommands(context: LoadContext): LazyCommand[] {
  const group = 'Your account:';
  const account = async () => {
    const [{ createAccountContext }, { renewLiteralKeys }] = await Promise.all([
      import('./account-context.ts'),
      import('./renew-keys.ts'),
    ]);
    const loaded = await context();
    return createAccountContext(loaded, (signIn) => renewLiteralKeys(signIn, loaded));
  };
  return [
    {
      name: 'login',
      summary: 'sign in by a link in your mail',
      group,
      load: async () => (await import('./commands/login.ts')).loginCommand(await account()),
    },
    {
      name: 'logout',
      summary: 'invalidate the key and forget it',
      group,
      load: async () => (await import('./commands/logout.ts')).logoutCommand(await account()),
    },
    {
      name: 'status',
      summary: 'who, where, what is used, and whether the daemon answers',
      group,
      load: async () => (await import('./commands/status.ts')).statusCommand(await account()),
    },
  ];
}

function assistantCommands(context: LoadContext, version: string): LazyCommand[] {
  const group = 'Your assistants:';
  return [
    {
      name: 'mcp-config',
      summary: 'set svc up in the assistants on this machine',
      group,
      async load() {
        const [{ mcpConfigCommand }, { openSettings }, { createAccountContext }] = await Promise.all([
          import('./commands/mcp-config.ts'),
          import('./settings.ts'),
          import('./account-context.ts'),
        ]);
        const loaded = await context();
        const { screen } = createAccountContext(loaded);
        const script = fileURLToPath(new URL('../bin/svc', import.meta.url));
        const program = { node: process.execPath, script };
        return mcpConfigCommand({ ...loaded, settings: openSettings(loaded.environment), program, screen });
      },
    },
    {
      name: 'mcp',
      summary: 'the bridge that assistants start (standard input and output)',
      group,
      load: async () => (await import('./commands/mcp.ts')).mcpCommand(await context(), version),
    },
  ];
}

function memoryCommands(context: LoadContext): LazyCommand[] {
  const group = 'Your memories:';
  return [
    {
      name: 'add',
      summary: 'remember something',
      group,
      load: async () => (await import('./commands/add.ts')).addCommand(await context()),
    },
    {
      name: 'search',
      summary: 'recall by words',
      group,
      load: async () => (await import('./commands/search.ts')).searchCommand(await context()),
    },
    {
      name: 'list',
      summary: 'memories, newest first',
      group,
      load: async () => (await import('./commands/list.ts')).listCommand(await context()),
    },
    {
      name: 'show',
      summary: 'one memory, with its history',
      group,
      load: async () => (await import('./commands/show.ts')).showCommand(await context()),
    },
    {
      name: 'edit',
      summary: 'change a memory',
      group,
      load: async () => (await import('./commands/edit.ts')).editCommand(await context()),
    },
    {
      name: 'forget',
      summary: 'erase memories',
      group,
      load: async () => (await import('./commands/forget.ts')).forgetCommand(await context()),
    },
    {
      name: 'export',
      summary: 'write the whole account to a file',
      group,
      load: async () => (await import('./commands/export.ts')).exportCommand(await context()),
    },
    {
      name: 'import',
      summary: 'bring in an export, or another system’s file',
      group,
      load: async () => (await import('./commands/import.ts')).importCommand(await context()),
    },
  ];
}

function providerCommands(context: LoadContext): LazyCommand[] {
  const group = 'Your own models:';
  return [
    {
      name: 'provider',
      summary: 'your own provider keys, and what svc may do with them',
      group,
      load: async () => (await import('./commands/provider.ts')).providerCommand(await context()),
    },
    {
      name: 'extract',
      summary: 'draw memories out of a conversation',
      group,
      load: async () => (await import('./commands/extract.ts')).extractCommand(await context()),
    },
    {
      name: 'jobs',
      summary: 'how far that is, and what was decided',
      group,
      load: async () => (await import('./commands/jobs.ts')).jobsCommand(await context()),
    },
  ];
}
