import type { Argument, Command, Option } from 'commander';

/** What of a program can be completed. */
export interface CommandNode {
  /** The words that lead to it, without the program's own name. */
  path: readonly string[];
  description: string;
  options: OptionNode[];
  /** The choices of each positional argument; `file` where any file may stand. */
  arguments: (readonly string[] | 'file')[];
  children: CommandNode[];
}

export interface OptionNode {
  /** As typed: `--json`, `-y`. */
  flags: string[];
  description: string;
  /** It is followed by a value: one of these, a file, or (empty) anything. */
  value: readonly string[] | 'file' | undefined;
}

/** Reads the tree off the program itself, so that what completes is what is accepted. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = { flags: ['--help', '-h'], description: 'show what it does', value: undefined };
  return {
    path,
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionNode), help],
    arguments: command.registeredArguments.map(argumentNode),
    children: command.commands.map((child) => commandTree(child, [...path, child.name()])),
  };
}

/** The node and all beneath it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

function optionNode(option: Option): OptionNode {
  const flags = [option.long, option.short].filter((flag) => flag !== undefined && flag !== null);
  const takesValue = option.required || option.optional;
  const value = takesValue ? (option.argChoices ?? (isFile(option.flags) ? 'file' : [])) : undefined;
  return { flags, description: option.description, value };
}

function argumentNode(argument: Argument): readonly string[] | 'file' {
  return argument.argChoices ?? (isFile(argument.name()) ? 'file' : []);
}

function isFile(name: string): boolean {
  return /file|folder|path|dir/.test(name);
}
