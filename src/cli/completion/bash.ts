import { allNodes, type CommandNode, type OptionNode } from './command-tree.ts';

/**
 * Generates a completion script for bash 3.2 and newer (macOS ships 3.2). It follows the typed words down the command
 * tree and offers the words at that node. It never runs svc itself.
 */
export function bashCompletion(root: CommandNode, name: string): string {
  const cases = allNodes(root).map(commandCase).join('\n');
  return `# ${name} completion for bash. Use it: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local path="" word words="" files="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path/$word" in
      ${walkPatterns(root)}) path="$path/$word" ;;
    esac
  done
  case "$path $previous" in
${valueCases(root)}
    *) case "$path" in
${cases}
    esac ;;
  esac
  COMPREPLY=()
  while IFS='' read -r word; do [ -n "$word" ] && COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
  if [ -n "$files" ]; then
    while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  fi
}
complete -o default -F _${name} ${name}
`;
}

const pathOf = (node: CommandNode) => node.path.map((word) => `/${word}`).join('');

function walkPatterns(root: CommandNode): string {
  return allNodes(root)
    .filter(({ path }) => path.length > 0)
    .map((node) => `"${pathOf(node)}"`)
    .join(' | ');
}

/** Completes the value of the option before the cursor. */
function valueCases(root: CommandNode): string {
  return allNodes(root)
    .flatMap((node) => node.options.filter(takesValue).map((option) => ({ node, option })))
    .map(({ node, option }) => {
      const patterns = option.flags.map((flag) => `"${pathOf(node)} ${flag}"`).join(' | ');
      return `    ${patterns}) ${offerValues(option.value ?? [])} ;;`;
    })
    .join('\n');
}

function commandCase(node: CommandNode): string {
  const words = [...node.children.map(({ path }) => path.at(-1)!), ...node.options.flatMap(({ flags }) => flags)];
  const choices = node.arguments.flatMap((argument) => (argument === 'file' ? [] : argument));
  const files = node.arguments.includes('file') ? '; files=1' : '';
  return `      "${pathOf(node)}") words="${[...choices, ...words].join(' ')}"${files} ;;`;
}

function takesValue({ value }: OptionNode): boolean {
  return value !== undefined;
}

function offerValues(value: readonly string[] | 'file'): string {
  return value === 'file' ? 'files=1' : `words="${value.join(' ')}"`;
}
