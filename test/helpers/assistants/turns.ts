import type { Environment } from '../../../src/cli/settings.ts';
import { runAssistant } from './real-assistants.ts';

/** Assistants that can be driven without a screen, by the name that `svc mcp-config` has for them. */
export const DRIVEN = ['claude-code', 'codex', 'opencode'] as const;
export type Driven = (typeof DRIVEN)[number];

export interface Turn {
  prompt: string;
  /** Continues the latest session of the project instead of starting one. */
  continues?: boolean;
  /** Tools of svc that the user has approved, where the assistant asks. */
  approved?: string[];
  /** Trusts hooks that nobody has looked at, where the assistant asks. True if absent. */
  trustsHooks?: boolean;
}

interface TurnCommand {
  command: string[];
  env: Record<string, string>;
}

/** Runs one turn of an assistant with the model at `modelUrl`, and returns what it prints. */
export function runTurn(assistant: Driven, environment: Environment, modelUrl: string, turn: Turn): Promise<string> {
  const { command, env } = COMMANDS[assistant](modelUrl, turn);
  // The bridge finds the settings through its entry; hooks read the environment.
  return runAssistant(environment, command, { ...env, SVC_CONFIG_DIR: environment.env.SVC_CONFIG_DIR ?? '' });
}

const COMMANDS: Record<Driven, (modelUrl: string, turn: Turn) => TurnCommand> = {
  'claude-code': (modelUrl, { prompt, continues, approved = [] }) => ({
    command: [
      ...['claude', '-p', prompt, ...(continues ? ['--continue'] : [])],
      ...approved.flatMap((tool) => ['--allowedTools', `mcp__svc__${tool}`]),
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'any-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  codex: (modelUrl, { prompt, continues, trustsHooks = true }) => ({
    command: [
      ...['codex', 'exec', ...(continues ? ['resume', '--last'] : []), '--skip-git-repo-check'],
      ...(trustsHooks ? ['--dangerously-bypass-hook-trust'] : []),
      ...['-c', 'model=gpt-5', '-c', 'model_provider=scripted'],
      ...['-c', `model_providers.scripted={name="scripted",base_url="${modelUrl}/v1",wire_api="responses"}`],
      prompt,
    ],
    env: {},
  }),
  opencode: (modelUrl, { prompt, continues }) => ({
    // It encloses arguments with spaces in quotation marks.
    command: ['opencode', 'run', ...(continues ? ['--continue'] : []), ...prompt.split(' ')],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'scripted/model',
        small_model: 'scripted/model',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'any-key' },
            models: { model: {} },
          },
        },
      }),
    },
  }),
};
