import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { openMailbox } from '../test/helpers/mailbox.ts';
import { type ScriptedModel, startScriptedModel } from '../test/helpers/scripted-model/server.ts';

/**
 * Measures the ways in of docs/doors.md: how many commands and seconds from an empty home to one that works. It needs
 * `npm run build` and the npm registry, and prints the rows of the table. `node --import tsx scripts/doors.ts [NAME…]`
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EMAIL = 'ada@example.com';
const PORT = '18787';

interface Door {
  /** What a person types after `svc serve` and `svc login`. */
  commands: string[];
  /** What the last command prints if it works. */
  prints: RegExp;
  /** Sets up what a person has already. */
  owned?(home: string, modelUrl: string): Promise<void>;
}

const example = async (name: string): Promise<Door> => {
  const text = await readFile(join(ROOT, 'examples', `${name}.mjs`), 'utf8');
  const packages = /^\/\/ npm install @svc-memory\/client (.*)$/m.exec(text)![1]!;
  return { commands: [`npm install --silent "$CLIENT" ${packages}`, `node ${name}.mjs`], prints: /\S/ };
};

const openclaw = async (): Promise<Door> => {
  const text = await readFile(join(ROOT, 'examples/openclaw.sh'), 'utf8');
  const commands = text.match(/^openclaw .*$/gm)!;
  return {
    commands: commands.map((line) => line.replace('@svc-memory/client', 'npm-pack:"$CLIENT"')),
    prints: /Understood/,
    async owned(home, modelUrl) {
      const words = ['install', '--silent', '--ignore-scripts', '--prefix', join(home, '.openclaw')];
      await execa('npm', [...words, 'openclaw@2026.9.6']);
      await symlink(join(home, '.openclaw/node_modules/.bin/openclaw'), join(home, 'bin/openclaw'));
      const models = [{ id: 'scripted', name: 'Scripted', contextWindow: 200_000, maxTokens: 4096 }];
      const scripted = { baseUrl: `${modelUrl}/v1`, apiKey: 'none', api: 'openai-completions', models };
      const agents = { defaults: { model: { primary: 'scripted/scripted' }, skipBootstrap: true } };
      const settings = { models: { providers: { scripted } }, agents };
      await writeFile(join(home, '.openclaw/openclaw.json'), JSON.stringify(settings));
    },
  };
};

const DOORS: Record<string, () => Door | Promise<Door>> = {
  'Claude Code, by `svc mcp-config`': () => ({
    commands: ['svc mcp-config claude-code --yes'],
    prints: /Claude Code/i,
  }),
  'shell: `svc context`': () => ({ commands: ['svc add "Ada prefers tea"', 'svc context tea'], prints: /prefers tea/ }),
  'Markdown folder': () => ({ commands: ['svc sync ~/notes --once'], prints: /In sync/ }),
  "Claude Code's own notes": () => ({ commands: ['svc sync --native claude-code --once'], prints: /In sync/ }),
  'AI SDK': () => example('ai-sdk'),
  "Claude's memory tool": () => example('anthropic-memory'),
  'Google ADK': () => example('google-adk'),
  LangGraph: () => example('langgraph'),
  LlamaIndex: () => example('llamaindex'),
  Mastra: () => example('mastra'),
  'OpenAI Agents SDK': () => example('openai-agents'),
  OpenClaw: openclaw,
  Python: () => ({
    commands: [
      `PYTHONPATH="$ROOT/clients/python/src" python3 -c "import svc_memory; print(svc_memory.Client().account.get())"`,
    ],
    prints: /ada@example/,
  }),
};

/** Signs in at the terminal and opens the link of the mail, as a person does. */
async function signIn(home: string, env: Record<string, string>): Promise<void> {
  const login = execa('svc', ['login', '--email', EMAIL, '--key-store', 'file'], { cwd: home, env, extendEnv: false });
  const link = await openMailbox(env.SVC_MAIL_DIR!).latestLink(EMAIL);
  const token = new URL(link).searchParams.get('token') ?? '';
  const page = await fetch(`${env.SVC_URL}/v1/auth/callback`, { method: 'POST', body: new URLSearchParams({ token }) });
  const [, handOver = ''] = /data-loopback-url="([^"]+)"/.exec(await page.text()) ?? [];
  await fetch(handOver.replaceAll('&amp;', '&'));
  await login;
}

async function measure(door: Door, client: string, model: ScriptedModel): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'svc-door-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  await symlink(join(ROOT, 'bin/svc'), join(bin, 'svc'));
  for (const command of door.commands) {
    const [, name] = /^node (.*)$/.exec(command) ?? [];
    if (name) await writeFile(join(home, name), await readFile(join(ROOT, 'examples', name)));
  }
  const env: Record<string, string> = {
    // For networks with certificates of their own.
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
    ...{ HOME: home, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, ROOT, CLIENT: client },
    ...{ SVC_PORT: PORT, SVC_URL: `http://127.0.0.1:${PORT}`, SVC_MAIL_DIR: join(home, 'mail') },
    ...{ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none', ANTHROPIC_BASE_URL: model.url },
    ...{
      ANTHROPIC_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_API_KEY: 'none',
      GEMINI_MODEL: 'scripted',
    },
  };
  await door.owned?.(home, model.url);
  const startedMs = performance.now();
  const daemon = execa('svc', ['serve'], { cwd: home, env, extendEnv: false, reject: false });
  try {
    while (!(await fetch(`${env.SVC_URL}/readyz`).catch(() => undefined))?.ok)
      await new Promise((next) => setTimeout(next, 50));
    await signIn(home, env);
    let printed = '';
    for (const command of door.commands) {
      const { stdout } = await execa('sh', ['-c', command], {
        cwd: home,
        env: await withKey(env, command),
        extendEnv: false,
      });
      printed = stdout;
    }
    if (!door.prints.test(printed)) throw new Error(`It does not work: ${printed}`);
    return (performance.now() - startedMs) / 1000;
  } finally {
    daemon.kill();
    await daemon;
    await rm(home, { recursive: true, force: true });
  }
}

/** Programs get the key in their environment. */
async function withKey(env: Record<string, string>, command: string): Promise<Record<string, string>> {
  if (command.startsWith('svc')) return env;
  const { stdout } = await execa('sh', ['-c', 'cat ~/.config/svc/*'], {
    env,
    reject: false,
  });
  return { ...env, SVC_API_KEY: /svc_live_[0-9a-f]{32}/.exec(stdout)?.[0] ?? '' };
}

const names = process.argv.slice(2);
const model = await startScriptedModel();
const packed = await mkdtemp(join(tmpdir(), 'svc-door-client-'));
try {
  const { stdout } = await execa(
    'npm',
    ['run', '--silent', 'pack:client', '--', '--silent', '--pack-destination', packed],
    {
      cwd: ROOT,
    },
  );
  const client = join(packed, stdout.trim().split('\n').at(-1)!);
  process.stdout.write('| way in | commands | seconds |\n|---|---|---|\n');
  for (const [name, make] of Object.entries(DOORS)) {
    if (names.length > 0 && !names.some((word) => name.toLowerCase().includes(word))) continue;
    const door = await make();
    const seconds = await measure(door, client, model);
    process.stdout.write(`| ${name} | ${2 + door.commands.length} | ${seconds.toFixed(1)} |\n`);
  }
} finally {
  await model.close();
  await rm(packed, { recursive: true, force: true });
}
