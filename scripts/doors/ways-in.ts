import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { HERMES_STUB } from '../../test/helpers/hermes-stub.ts';
import { writeBundle } from '../release/bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A way in of docs/doors.md, as a person sets it up. */
export interface WayIn {
  /** What a person types after `svc serve` and `svc login`. Examples that a command names are in the home. */
  commands: string[];
  /** What the last command prints if it works, or `received` returns. */
  prints: RegExp;
  /** Resolves with what another program received, if that shows that it works. */
  received?: Promise<string>;
  /** It works without an account. */
  isPublic?: boolean;
  /** Sets up what a person has already. */
  owned?(home: string, modelUrl: string): Promise<void>;
}

const ADD = 'svc add "Ada prefers tea"';
const PRINTS_TEA = /prefers tea/;

const exampleText = (name: string) => readFile(join(ROOT, 'examples', name), 'utf8');

/** Installs the packages that the first lines of an example name, and runs it. */
async function example(name: string, settings: Partial<WayIn> & { first?: string[]; words?: string } = {}) {
  const { first = [], words = '', ...rest } = settings;
  const packages = /^\/\/ npm install (.*)$/m.exec(await exampleText(`${name}.mjs`))![1]!;
  const install = `npm install --silent ${packages.replace('@svc-memory/client', '"$CLIENT"')}`;
  return { commands: [...first, install, `node ${name}.mjs${words}`], prints: /\S/, ...rest } satisfies WayIn;
}

/** Claude Code, installed from npm. */
async function ownClaudeCode(home: string): Promise<void> {
  const folder = join(home, '.claude-code');
  await execa('npm', ['install', '--silent', '--prefix', folder, '@anthropic-ai/claude-code']);
  await symlink(join(folder, 'node_modules/.bin/claude'), join(home, 'bin/claude'));
}

async function openclaw(): Promise<WayIn> {
  const commands = (await exampleText('openclaw.sh')).match(/^openclaw .*$/gm)!;
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
}

/** The folder of a checkout that `pip` installs from, and a Python for it. */
async function ownPython(home: string): Promise<void> {
  await cp(join(ROOT, 'clients/python'), join(home, 'clients/python'), { recursive: true });
  await execa('python3', ['-m', 'venv', join(home, '.venv')]);
}

const PIP_INSTALL = '.venv/bin/pip install --quiet ./clients/python';

/** LangGraph needs packages that not every mirror has: a stub stands for the one that it reads a class from. */
function langgraphInPython(): WayIn {
  return {
    commands: [PIP_INSTALL, '.venv/bin/python langgraph-store.py'],
    prints: /prefers oolong tea/,
    async owned(home) {
      await ownPython(home);
      const packages = ['langgraph-checkpoint==4.2.0', 'ormsgpack', 'typing-extensions'];
      await execa(join(home, '.venv/bin/pip'), ['install', '--quiet', '--no-deps', ...packages]);
      await mkdir(join(home, 'langchain_core'));
      await writeFile(join(home, 'langchain_core/embeddings.py'), 'class Embeddings: ...\n');
    },
  };
}

async function hermes(): Promise<WayIn> {
  const typed = (await exampleText('hermes.sh')).split('\n').filter((line) => line !== '' && !/^(#|set )/.test(line));
  return {
    commands: ['svc add "The gryphon is fed at noon"', PIP_INSTALL, ...typed],
    prints: /fed at noon/,
    async owned(home) {
      await ownPython(home);
      const stub = HERMES_STUB.replace('/usr/bin/env python3', join(home, '.venv/bin/python3'));
      await writeFile(join(home, 'bin/hermes'), stub, { mode: 0o755 });
    },
  };
}

/** A program with an address, which gets the first event. */
async function webhook(): Promise<WayIn> {
  const program = createServer();
  const received = new Promise<string>((resolve) => {
    program.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(204, { connection: 'close' }).end();
      program.close();
      resolve(Buffer.concat(chunks).toString());
    });
  });
  await new Promise<void>((listening) => program.listen(0, '127.0.0.1', listening));
  const { port } = program.address() as AddressInfo;
  const body = JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ['memory.created'] });
  const headers = `-H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json'`;
  const commands = [`curl -sSf ${headers} $SVC_URL/v1/webhooks -d '${body}'`, ADD];
  return { commands, received, prints: /"type":"memory\.created"/ };
}

/** All ways in that need no screen and no account with somebody else, by name. */
export const WAYS_IN: Record<string, () => WayIn | Promise<WayIn>> = {
  'Claude Code, by `svc mcp-config`': () => ({
    commands: ['svc mcp-config claude-code --yes'],
    prints: /Claude Code/i,
  }),
  'hooks of Claude Code': () => ({ commands: ['svc mcp-config claude-code --hooks --yes'], prints: /hooks/i }),
  'Claude Code, as a plugin': () => ({
    commands: ['claude plugin marketplace add "$ROOT/plugins"', 'claude plugin install svc@svc', 'claude mcp list'],
    prints: /svc: svc mcp.*Connected/,
    owned: ownClaudeCode,
  }),
  'shell: `svc context`': () => ({ commands: [ADD, 'svc context tea'], prints: PRINTS_TEA }),
  'Markdown folder': () => ({ commands: ['svc sync ~/notes --once'], prints: /In sync/ }),
  "Claude Code's own notes": () => ({ commands: ['svc sync --native claude-code --once'], prints: /In sync/ }),
  'llms.txt': () => ({ commands: ['curl -sSf $SVC_URL/llms.txt'], prints: /^# svc/, isPublic: true }),
  webhook,
  'ChatGPT, by the MCP client': () =>
    example('chatgpt', { first: [ADD], words: ' "What does Ada drink?"', prints: PRINTS_TEA }),
  'Review inside the chat, by the MCP client': () => example('review-app', { prints: /^ui:\/\/svc\/review/m }),
  'Bundle for Claude Desktop, unpacked': () =>
    example('mcp-bundle', {
      first: [ADD, 'npx --yes @anthropic-ai/mcpb@2.1.2 unpack svc.mcpb bundle'],
      words: ' bundle "What does Ada drink?"',
      prints: PRINTS_TEA,
      owned: async (home) => void (await writeBundle(home)),
    }),
  'AI SDK': () => example('ai-sdk'),
  "Claude's memory tool": () => example('anthropic-memory'),
  "Anthropic's memory stores": () => example('anthropic-memory-stores', { prints: /^created redacted$/m }),
  'Google ADK': () => example('google-adk'),
  'LangGraph (JS)': () => example('langgraph'),
  'LangGraph (JS), conversations': () => example('langgraph-conversation', { prints: /^assistant: On the roof/m }),
  LlamaIndex: () => example('llamaindex'),
  Mastra: () => example('mastra'),
  'OpenAI Agents SDK': () => example('openai-agents'),
  OpenClaw: openclaw,
  Python: () => ({
    commands: [PIP_INSTALL, '.venv/bin/python python.py'],
    prints: /prefers oolong tea/,
    owned: ownPython,
  }),
  'LangGraph (Python), beside a stub of `langchain_core`': langgraphInPython,
  'Hermes Agent, its stub': hermes,
};
