import { Argument, Command } from 'commander';
import type { Terminal } from '../command-context.ts';
import { bashCompletion } from '../completion/bash.ts';
import { commandTree } from '../completion/command-tree.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof SHELLS;

const HELP = `
Examples:
  $ source <(svc completion bash)                          now, or in .bashrc to keep it
  $ svc completion zsh > "\${fpath[1]}/_svc"
  $ svc completion fish > ~/.config/fish/completions/svc.fish`;

/**
 * `svc completion`: prints a completion script generated from the program itself. `loadProgram` loads every command, of
 * which only names and options are read.
 */
export function completionCommand(terminal: Terminal, loadProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      const program = await loadProgram();
      terminal.out(SHELLS[shell](commandTree(program), program.name()));
    });
}
