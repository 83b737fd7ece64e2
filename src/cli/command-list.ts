import type { Command } from 'commander';
import type { SetExitCode, Terminal } from './command-context.ts';
import type { LazyCommand, LoadContext } from './lazy-command.ts';
import { memoryCommands } from './memory-commands.ts';
import { ownProgram } from './own-program.ts';

export interface CommandDependencies {
  version: string;
  terminal: Terminal;
  stopSignal: () => Promise<string>;
  setExitCode: SetExitCode;
  /** Loads the program with every command, for `completion`. */
  loadProgram: () => Promise<Command>;
}

/**
 * Lists every command, in the order of `svc --help`. Each loads its code when it is called, so that `svc login` loads no
 * database and `svc --help` loads no command at all.
 */
export function listCommands({
  version,
  terminal,
  stopSignal,
  setExitCode,
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
      group: 'Daemon:',
      load: async () => (await import('./commands/serve.ts')).serveCommand(version, await context(), setExitCode),
    },
    {
      name: 'service',
      summary: 'keep the daemon running in the background',
      group: 'Daemon:',
      async load() {
        const [{ serviceCommand }, { openServiceContext }] = await Promise.all([
          import('./commands/service.ts'),
          import('./service/context.ts'),
        ]);
        return serviceCommand(openServiceContext(await context(), ownProgram()));
      },
    },
    {
      name: 'upgrade',
      summary: 'install a newer svc, or go back to the former one',
      group: 'Daemon:',
      async load() {
        const [{ upgradeCommand }, { openServiceContext }] = await Promise.all([
          import('./commands/upgrade.ts'),
          import('./service/context.ts'),
        ]);
        return upgradeCommand(openServiceContext(await context(), ownProgram()));
      },
    },
    {
      name: 'model',
      summary: 'manage embedding models that run in the daemon',
      group: 'Daemon:',
      load: async () => (await import('./commands/model.ts')).modelCommand(await context()),
    },
    {
      name: 'backup',
      summary: 'back up the database, now or by schedule',
      group: 'Daemon:',
      load: async () => (await import('./commands/admin-backup.ts')).backupCommand(terminal, context),
    },
    {
      name: 'admin',
      summary: 'manage accounts, invitations and backups on this machine',
      group: 'Daemon:',
      load: async () => (await import('./commands/admin.ts')).adminCommand(terminal, setExitCode, context),
    },
    {
      name: 'doctor',
      summary: 'check what can be wrong on this machine',
      group: 'Other:',
      async load() {
        const [{ doctorCommand }, { createAccountContext }] = await Promise.all([
          import('./commands/doctor.ts'),
          import('./account-context.ts'),
        ]);
        return doctorCommand(createAccountContext(await context()), { version, script: ownProgram().script });
      },
    },
    {
      name: 'completion',
      summary: 'print a shell completion script',
      group: 'Other:',
      load: async () => (await import('./commands/completion.ts')).completionCommand(terminal, loadProgram),
    },
  ];
}

function accountCommands(context: LoadContext): LazyCommand[] {
  const group = 'Account:';
  const account = async () => {
    const { createAccountContext } = await import('./account-context.ts');
    const loaded = await context();
    return createAccountContext(loaded, async (signIn) => {
      const { renewLiteralKeys } = await import('./renew-keys.ts');
      await renewLiteralKeys(signIn, loaded);
    });
  };
  return [
    {
      name: 'login',
      summary: 'sign in with a link sent by email',
      group,
      load: async () => (await import('./commands/login.ts')).loginCommand(await account()),
    },
    {
      name: 'logout',
      summary: 'revoke the key and remove it',
      group,
      load: async () => (await import('./commands/logout.ts')).logoutCommand(await account()),
    },
    {
      name: 'status',
      summary: 'show your account, quotas and daemon',
      group,
      load: async () => (await import('./commands/status.ts')).statusCommand(await account()),
    },
    {
      name: 'open',
      summary: 'open the web app in your browser, signed in',
      group,
      load: async () => (await import('./commands/open.ts')).openCommand(await context()),
    },
    {
      name: 'space',
      summary: 'share memories with others',
      group,
      load: async () => (await import('./commands/space.ts')).spaceCommand(await context()),
    },
    {
      name: 'connections',
      summary: 'list browsers that are signed in, or sign them out',
      group,
      load: async () => (await import('./commands/connections.ts')).connectionsCommand(await context()),
    },
  ];
}

function assistantCommands(context: LoadContext, version: string): LazyCommand[] {
  const group = 'Assistants:';
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
        const program = ownProgram();
        return mcpConfigCommand({ ...loaded, settings: openSettings(loaded.environment), program, screen });
      },
    },
    {
      name: 'mcp',
      summary: 'run the stdio bridge that assistants start',
      group,
      load: async () => (await import('./commands/mcp.ts')).mcpCommand(await context(), version),
    },
    {
      name: 'hook',
      summary: 'recall and capture when an assistant reports an event',
      group,
      load: async () => (await import('./commands/hook.ts')).hookCommand(await context()),
    },
  ];
}

function providerCommands(context: LoadContext): LazyCommand[] {
  const group = 'Models:';
  return [
    {
      name: 'provider',
      summary: 'manage provider keys and how svc may use them',
      group,
      load: async () => (await import('./commands/provider.ts')).providerCommand(await context()),
    },
    {
      name: 'extract',
      summary: 'extract memories from a conversation',
      group,
      load: async () => (await import('./commands/extract.ts')).extractCommand(await context()),
    },
    {
      name: 'tidy',
      summary: 'let your own model suggest how to tidy memories',
      group,
      load: async () => (await import('./commands/tidy.ts')).tidyCommand(await context()),
    },
    {
      name: 'jobs',
      summary: 'show jobs, their progress and decisions',
      group,
      load: async () => (await import('./commands/jobs.ts')).jobsCommand(await context()),
    },
  ];
}
