/** The events of an assistant at which svc recalls or captures. */
export const HOOK_EVENTS = ['session-start', 'prompt', 'stop', 'pre-compact', 'session-end'] as const;
export type HookEventName = (typeof HOOK_EVENTS)[number];

/** Assistants whose hook input and output svc knows. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'gemini', 'qwen', 'cursor', 'copilot', 'opencode'] as const;
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
  /** What Copilot CLI will send to the model for the prompt. */
  transformedPrompt: string | undefined;
  /** The assistant's answer, when it stops. */
  answer: string | undefined;
  /** The file in which the assistant records the session. */
  transcriptPath: string | undefined;
}

/** Gemini CLI begins a prompt with what the hooks of the session's start added, and escapes `<` in it. */
const HOOK_CONTEXT = /^<hook_context>[^<]*<\/hook_context>\s*/;

/** On Windows, Cursor pipes its input through PowerShell, which puts one or two byte order marks before it. */
const BYTE_ORDER_MARKS = /^\ufeff+/;

/** Cursor writes a drive of Windows as `/c:/`. */
const DRIVE = /^\/([a-z]:)/i;

/**
 * Parses hook input. Claude Code (code.claude.com/docs/en/hooks), Codex (codex-rs/hooks/schema) and Qwen Code use the same
 * names. Those of Gemini CLI, Cursor and Copilot CLI differ, and no name means different things in two of them. Throws if
 * it is not a JSON object that names a session.
 */
export function parseHookInput(json: string, cwd: string): HookInput {
  const given: unknown = JSON.parse(json.replace(BYTE_ORDER_MARKS, ''));
  if (typeof given !== 'object' || given === null) throw new Error('the input is not a JSON object');
  const fields = given as Record<string, unknown>;
  const sessionId = textOf(fields.session_id) ?? textOf(fields.sessionId) ?? textOf(fields.conversation_id);
  if (sessionId === undefined) throw new Error('the input has no session_id');
  const roots: unknown[] = Array.isArray(fields.workspace_roots) ? fields.workspace_roots : [];
  return {
    sessionId,
    cwd: textOf(fields.cwd) ?? textOf(roots[0])?.replace(DRIVE, '$1') ?? cwd,
    source: textOf(fields.source),
    prompt: textOf(fields.prompt)?.replace(HOOK_CONTEXT, ''),
    transformedPrompt: textOf(fields.transformedPrompt),
    answer: textOf(fields.last_assistant_message) ?? textOf(fields.prompt_response) ?? textOf(fields.text),
    transcriptPath: textOf(fields.transcriptPath) ?? textOf(fields.transcript_path),
  };
}

/** Assistants that report no session start after a compaction, and `pre-compact` only if they compact. */
const FORGETFUL: ReadonlySet<HookClient> = new Set(['cursor', 'copilot', 'opencode']);

/** Whether the model no longer has what hooks have added so far. */
export function forgetsContext(event: HookEventName, client: HookClient, { source }: HookInput): boolean {
  if (event === 'pre-compact') return FORGETFUL.has(client);
  return event === 'session-start' && (source === 'compact' || source === 'clear');
}

/** The names that assistants give the events whose output adds context. */
const OUTPUT_NAMES = {
  'session-start': 'SessionStart',
  prompt: 'UserPromptSubmit',
} as const;

/** Returns the line of JSON that adds `context` to what the model reads. */
export function hookOutput(
  event: keyof typeof OUTPUT_NAMES,
  client: HookClient,
  context: string,
  { transformedPrompt }: Pick<HookInput, 'transformedPrompt'>,
): string {
  return `${JSON.stringify(outputOf(event, client, context, transformedPrompt))}\n`;
}

function outputOf(
  event: keyof typeof OUTPUT_NAMES,
  client: HookClient,
  context: string,
  transformedPrompt: string | undefined,
): object {
  switch (client) {
    case 'cursor':
      return { ...(event === 'prompt' && { continue: true }), additional_context: context };
    case 'copilot':
      if (event === 'session-start' || transformedPrompt === undefined) return { additionalContext: context };
      return { modifiedTransformedPrompt: `${transformedPrompt}\n\n${context}` };
    case 'opencode':
      return { additionalContext: context };
    default: {
      const hookEventName = client === 'gemini' && event === 'prompt' ? 'BeforeAgent' : OUTPUT_NAMES[event];
      return { hookSpecificOutput: { hookEventName, additionalContext: context } };
    }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
