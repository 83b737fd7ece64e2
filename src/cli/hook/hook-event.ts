/** What an assistant reports: the moments at which svc recalls or captures. */
export const HOOK_EVENTS = ['session-start', 'prompt', 'stop', 'pre-compact', 'session-end'] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** Assistants whose hook input and output svc knows. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'gemini'] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

/** The fields of hook input that svc reads. */
export interface HookInput {
  sessionId: string;
  /** The folder the assistant works in. */
  cwd: string;
  /** Why a session starts: `startup`, `resume`, `clear` or `compact`. */
  source: string | undefined;
  /** What the user typed. */
  prompt: string | undefined;
  /** The assistant's answer, when it stops. */
  answer: string | undefined;
}

/** The names that assistants give the events whose output adds context. */
const OUTPUT_NAMES = {
  'session-start': { 'claude-code': 'SessionStart', codex: 'SessionStart', gemini: 'SessionStart' },
  prompt: { 'claude-code': 'UserPromptSubmit', codex: 'UserPromptSubmit', gemini: 'BeforeAgent' },
} as const;

/**
 * Parses hook input. Claude Code (code.claude.com/docs/en/hooks) and Codex (codex-rs/hooks/schema) use the same names;
 * Gemini CLI (docs/hooks/reference.md) has another one for the answer. Throws if it is not a JSON object with a `session_id`.
 */
export function parseHookInput(json: string, cwd: string): HookInput {
  const given: unknown = JSON.parse(json);
  if (typeof given !== 'object' || given === null) throw new Error('the input is not a JSON object');
  const fields = given as Record<string, unknown>;
  const sessionId = textOf(fields.session_id);
  if (sessionId === undefined) throw new Error('the input has no session_id');
  return {
    sessionId,
    cwd: textOf(fields.cwd) ?? cwd,
    source: textOf(fields.source),
    prompt: textOf(fields.prompt),
    answer: textOf(fields.last_assistant_message) ?? textOf(fields.prompt_response),
  };
}

/** Returns the JSON that adds `context` to what the model reads. */
export function hookOutput(event: keyof typeof OUTPUT_NAMES, client: HookClient, context: string): string {
  const hookSpecificOutput = { hookEventName: OUTPUT_NAMES[event][client], additionalContext: context };
  return `${JSON.stringify({ hookSpecificOutput })}\n`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
