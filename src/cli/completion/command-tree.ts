import type { Argument, Command, Option } from 'commander';

/** A command with everything that can be completed after it. */
export interface CommandNode {
  /** The words that select it, without the program's name. */
  path: readonly string[];
  description: string;
  options: OptionNode[];
  /** The choices of each positional argument; `file` if it takes a path. */
  arguments: (readonly string[] | 'file')[];
  children: CommandNode[];
}

export interface OptionNode {
  /** For example `--json`, `-y`. */
  flags: string[];
  description: string;
  /** The value it takes: one of these choices, a path, or anything if empty. `undefined` if it takes none. */
  value: readonly string[] | 'file' | undefined;
}

/** Builds the tree from the program's own definitions, so completions always match what it accepts. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = { flags: ['--help', '-h'], description: 'show help', value: undefined };
  return {
    path,
    description: command.description(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionNode), help],
    arguments: command.registeredArguments.map(argumentNode),
    children: command.commands.map((child) => commandTree(child, [...path, child.name()])),
  };
}

/** The node and all its descendants. */
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
