import { allNodes, type CommandNode, type OptionNode } from './command-tree.ts';

/** Generates a completion script for zsh that shows the description of each command and option. */
export function zshCompletion(root: CommandNode, name: string): string {
  const functions = allNodes(root).map((node) => functionOf(node, name));
  return `#compdef ${name}
# ${name} completion for zsh. Use it: source <(${name} completion zsh), or save it as _${name} in a folder of $fpath

${functions.join('\n\n')}

if [ "$funcstack[1]" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function functionOf(node: CommandNode, name: string): string {
  const ownName = functionName(node, name);
  const options = node.options.map(optionSpec);
  if (node.children.length === 0) {
    const files = node.arguments.map(argumentSpec);
    return `${ownName}() {\n  _arguments -s ${[...options, ...files].join(' \\\n    ')}\n}`;
  }
  const children = node.children.map((child) => `    ${quoted(`${child.path.at(-1)}:${child.description}`)}`);
  const cases = node.children.map((child) => `      ${child.path.at(-1)}) ${functionName(child, name)} ;;`);
  return `${ownName}() {
  local line state
  _arguments -C ${options.join(' \\\n    ')} \\
    '1: :->command' '*:: :->rest'
  local -a commands=(
${children.join('\n')}
  )
  case $state in
    command) _describe command commands ;;
    rest) case $line[1] in
${cases.join('\n')}
    esac ;;
  esac
}`;
}

function functionName({ path }: CommandNode, name: string): string {
  return ['', name, ...path].join('_').replaceAll('-', '_');
}

function optionSpec({ flags, description, value }: OptionNode): string {
  const label = `[${description.replace(/[[\]]/g, '').replaceAll(':', ' -')}]`;
  const valueSpec = value === undefined ? '' : value === 'file' ? ':file:_files' : `: :(${value.join(' ')})`;
  return flags.map((flag) => quoted(`*${flag}${label}${valueSpec}`)).join(' ');
}

function argumentSpec(argument: readonly string[] | 'file'): string {
  if (argument === 'file') return "'*:file:_files'";
  return argument.length === 0 ? "'*: :'" : quoted(`*: :(${argument.join(' ')})`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
