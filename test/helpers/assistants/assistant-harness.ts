import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { BIN, callAt, createWorkplaces, type DaemonProcess, signInAt } from '../process.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { createHome, installAssistants, storeKey } from './real-assistants.ts';

type Home = Awaited<ReturnType<typeof createHome>>;

/** A real daemon and a scripted model for a test file; a new account with memories and a new home for each test. */
export interface AssistantHarness {
  daemon: DaemonProcess;
  model: ScriptedModel;
  home: Home;
  apiKey: string;
  startDaemon(port?: string): Promise<DaemonProcess>;
  /** Runs `svc mcp-config` as a user does. */
  configure(...options: string[]): Promise<void>;
  /** What the account's conversations store, oldest first, as `role: text`. */
  stored(): Promise<string[][]>;
}

export function assistantHarness(memories: readonly string[]): AssistantHarness {
  const workplaces = createWorkplaces();
  const harness = { startDaemon, configure, stored } as AssistantHarness;
  let dataDir: string;
  let accounts = 0;

  beforeAll(async () => {
    await installAssistants();
    dataDir = await workplaces.folder();
    harness.daemon = await startDaemon();
    harness.model = await startScriptedModel();
  }, 600_000);

  afterAll(async () => {
    await harness.model?.close();
    await workplaces.clean();
  });

  beforeEach(async () => {
    accounts += 1;
    const { daemon, model } = harness;
    const apiKey = await signInAt(daemon, `user-${accounts}@example.com`);
    const home = await createHome();
    Object.assign(harness, { apiKey, home });
    await storeKey(home, daemon.url, apiKey);
    for (const content of memories) await callAt(daemon.url, apiKey, '/v1/memories', { body: { content } });
    model.answers();
    return home.remove;
  });

  function startDaemon(port = '0'): Promise<DaemonProcess> {
    return workplaces.start({ dataDir, env: { SVC_PORT: port, SVC_DEFAULT_TIER: 'Pro' } });
  }

  async function configure(...options: string[]): Promise<void> {
    const { cwd, home, env } = harness.home;
    await execa(BIN, ['mcp-config', ...options], { cwd, extendEnv: false, env: { HOME: home, ...env } });
  }

  async function stored(): Promise<string[][]> {
    const { daemon, apiKey } = harness;
    const { body } = await callAt(daemon.url, apiKey, '/v1/conversations?limit=100');
    return Promise.all(
      (body.data as { id: string }[]).map(async ({ id }) => {
        const path = `/v1/conversations/${id}/messages?order=oldest&limit=100`;
        const { data } = (await callAt(daemon.url, apiKey, path)).body as { data: { role: string; content: string }[] };
        return data.map(({ role, content }) => `${role}: ${content}`);
      }),
    );
  }

  return harness;
}
