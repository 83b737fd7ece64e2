/** The assistants that svc can set up, by id. `aliases` are other names that users may type. */
const ASSISTANT_NAMES = {
  'claude-code': { title: 'Claude Code', aliases: ['claude'] },
  codex: { title: 'Codex' },
  gemini: { title: 'Gemini CLI', aliases: ['gemini-cli'] },
  copilot: { title: 'Copilot CLI', aliases: ['copilot-cli'] },
  opencode: { title: 'opencode' },
  kilo: { title: 'Kilo', aliases: ['kilo-code'] },
  qwen: { title: 'Qwen Code', aliases: ['qwen-code'] },
  kimi: { title: 'Kimi Code', aliases: ['kimi-code'] },
  amp: { title: 'Amp' },
  auggie: { title: 'Auggie', aliases: ['augment'] },
  grok: { title: 'Grok' },
  openclaw: { title: 'OpenClaw' },
  goose: { title: 'Goose' },
  'claude-desktop': { title: 'Claude Desktop' },
  cursor: { title: 'Cursor' },
  vscode: { title: 'VS Code', aliases: ['vs-code', 'code'] },
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
} satisfies Record<string, { title: string; aliases?: readonly string[] }>;

type AssistantId = keyof typeof ASSISTANT_NAMES;

/** Client names that do not begin with the id or an alias of their assistant. */
const OTHER_NAMES: Record<string, AssistantId> = {
  'claude-ai': 'claude-desktop',
  'visual-studio-code': 'vscode',
  'github-copilot': 'copilot',
  augment: 'auggie',
};

/** Returns the id, title and aliases of an assistant. */
export function named(id: AssistantId): { id: string; title: string; aliases?: readonly string[] } {
  return { id, ...ASSISTANT_NAMES[id] };
}

const IDS = new Map<string, string>([
  ...(Object.keys(ASSISTANT_NAMES) as AssistantId[]).flatMap((id) =>
    [id, ...(named(id).aliases ?? [])].map((name): [string, string] => [name, id]),
  ),
  ...Object.entries(OTHER_NAMES),
]);

/** Returns the id of the assistant with this client name, which may include a version. */
export function assistantOf(client: string): string | undefined {
  const name = client.toLowerCase().replace(/[^a-z\d]+/g, '-');
  const found = [...IDS.keys()].filter((known) => name === known || name.startsWith(`${known}-`));
  const longest = found.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : IDS.get(longest);
}

/** Returns the title of the assistant that a client belongs to, or else the client's own name. */
export function titleOfClient(client: string): string {
  const id = assistantOf(client);
  return id === undefined ? client : ASSISTANT_NAMES[id as AssistantId].title;
}
