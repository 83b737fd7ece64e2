import { allNodes, type CommandNode } from './command-tree.ts';

/** Generates a completion script for fish: one line per command and option. */
export function fishCompletion(root: CommandNode, name: string): string {
  const lines = allNodes(root).flatMap((node) => {
    const when = condition(node);
    const children = node.children.map(
      (child) => `complete -c ${name} -n ${when} -f -a ${child.path.at(-1)} -d ${quoted(child.description)}`,
    );
    const options = node.options.map(({ flags, description, value }) => {
      const flagArguments = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const valueArguments =
        value === undefined ? '' : value === 'file' ? ' -r -F' : ` -x -a ${quoted(value.join(' '))}`;
      return `complete -c ${name} -n ${when} ${flagArguments.join(' ')}${valueArguments} -d ${quoted(description)}`;
    });
    const choices = node.arguments
      .filter((argument) => argument !== 'file' && argument.length > 0)
      .map((argument) => `complete -c ${name} -n ${when} -f -a ${quoted([...argument].join(' '))}`);
    const files =
      node.children.length > 0 || node.arguments.includes('file') ? [] : [`complete -c ${name} -n ${when} -f`];
    return [...files, ...children, ...choices, ...options];
  });
  return `# ${name} completion for fish. Use it: ${name} completion fish | source\n${lines.join('\n')}\n`;
}

/** The condition under which a line applies: after the command's own words, and before any subcommand's. */
function condition({ path, children }: CommandNode): string {
  const after = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const names = children.map((child) => child.path.at(-1)).join(' ');
  const before = names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`];
  return quoted([...after, ...before].join('; and ') || 'true');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
