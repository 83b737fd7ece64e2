import { ASSISTANTS } from './assistant-table.ts';

/** Client names that do not begin with the id or an alias of their assistant. */
const OTHER_NAMES: Record<string, string> = {
  'claude-ai': 'claude-desktop',
  'visual-studio-code': 'vscode',
  'github-copilot': 'copilot',
  augment: 'auggie',
};

const IDS = new Map<string, string>([
  ...ASSISTANTS.flatMap(({ id, aliases = [] }) => [id, ...aliases].map((name): [string, string] => [name, id])),
  ...Object.entries(OTHER_NAMES),
]);

/** Returns the id of the assistant with this client name, which may include a version. */
export function assistantOf(client: string): string | undefined {
  const name = client.toLowerCase().replace(/[^a-z\d]+/g, '-');
  const found = [...IDS.keys()].filter((known) => name === known || name.startsWith(`${known}-`));
  const longest = found.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : IDS.get(longest);
}

/** A version at the end of a client's name: `/8.5.0`, ` v2`. */
const VERSION = /[/ ]v?\d[\w.+-]*$/;

/** Returns the title of the assistant that a client belongs to, or else the client's own name without its version. */
export function titleOfClient(client: string): string {
  const id = assistantOf(client);
  return ASSISTANTS.find((assistant) => assistant.id === id)?.title ?? client.replace(VERSION, '');
}
