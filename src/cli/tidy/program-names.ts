/** Assistants that `svc tidy --with` can run, by the names of their commands. */
export const TIDY_PROGRAM_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'qwen'] as const;
export type TidyProgramName = (typeof TIDY_PROGRAM_NAMES)[number];
