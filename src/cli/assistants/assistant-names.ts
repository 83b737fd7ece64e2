interface Names {
  title: string;
  /** Alternative names that users may type. */
  aliases?: readonly string[];
  /** Names of its MCP client that do not begin with the id or an alias. */
  clients?: readonly string[];
}

/** The names of every supported assistant, by id. Apart from how each is set up, so that the web app can show a title alone. */
const NAMES = {
  'claude-code': { title: 'Claude Code', aliases: ['claude'] },
  codex: { title: 'Codex' },
  gemini: { title: 'Gemini CLI', aliases: ['gemini-cli'] },
  copilot: { title: 'Copilot CLI', aliases: ['copilot-cli'], clients: ['github-copilot'] },
  opencode: { title: 'opencode' },
  kilo: { title: 'Kilo', aliases: ['kilo-code'] },
  qwen: { title: 'Qwen Code', aliases: ['qwen-code'] },
  kimi: { title: 'Kimi Code', aliases: ['kimi-code'] },
  amp: { title: 'Amp' },
  auggie: { title: 'Auggie', aliases: ['augment'] },
  grok: { title: 'Grok' },
  openclaw: { title: 'OpenClaw' },
  goose: { title: 'Goose' },
  'claude-desktop': { title: 'Claude Desktop', clients: ['claude-ai'] },
  cursor: { title: 'Cursor' },
  vscode: { title: 'VS Code', aliases: ['vs-code', 'code'], clients: ['visual-studio-code'] },
  windsurf: { title: 'Windsurf' },
  devin: { title: 'Devin Desktop', aliases: ['devin-desktop'] },
  antigravity: { title: 'Antigravity', aliases: ['agy'] },
  zed: { title: 'Zed' },
  cline: { title: 'Cline' },
  'cline-vscode': { title: 'Cline in VS Code' },
  continue: { title: 'Continue' },
  'lm-studio': { title: 'LM Studio', aliases: ['lmstudio'] },
  kiro: { title: 'Kiro' },
  warp: { title: 'Warp' },
  junie: { title: 'Junie' },
} satisfies Record<string, Names>;

export type AssistantId = keyof typeof NAMES;

export const ASSISTANT_NAMES: Readonly<Record<AssistantId, Names>> = NAMES;

const IDS = new Map(
  Object.entries<Names>(NAMES).flatMap(([id, { aliases = [], clients = [] }]) =>
    [id, ...aliases, ...clients].map((name) => [name, id as AssistantId] as const),
  ),
);

/** Returns the id of the assistant with this client name, which may include a version. */
export function assistantOf(client: string): AssistantId | undefined {
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
  return id === undefined ? client.replace(VERSION, '') : ASSISTANT_NAMES[id].title;
}
