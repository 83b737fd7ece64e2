#!/usr/bin/env node
/** Stands in for Claude Code: speaks MCP with the server of `--mcp-config`, follows `FAKE_SCRIPT`, and prints its events. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { FAKE_SCRIPT: script, FAKE_REPORT: report } = process.env;
const argv = process.argv.slice(2);
const config = readFileSync(argv[argv.indexOf('--mcp-config') + 1], 'utf8');
const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const result = (more) =>
  print({ type: 'result', usage: { input_tokens: 1200, output_tokens: 34 }, total_cost_usd: 0.0123, ...more });

function fail(message) {
  result({ is_error: true, result: message });
  process.exit(1);
}

if (script === 'signed-out') fail('Not logged in · Please run /login');
if (script === 'model-error') fail('API Error: 529 \u001b[31moverloaded\u001b[0m');

const { svc } = JSON.parse(config).mcpServers;
const bridge = spawn(svc.command, svc.args, {
  env: { ...process.env, ...svc.env },
  stdio: ['pipe', 'pipe', 'inherit'],
});
writeFileSync(
  report,
  JSON.stringify({
    argv,
    config,
    cwd: process.cwd(),
    ownRun: process.env.SVC_OWN_RUN,
    pids: [process.pid, bridge.pid],
  }),
);
const waiting = new Map();
createInterface({ input: bridge.stdout }).on('line', (line) => {
  const { id, result: answer, error } = JSON.parse(line);
  waiting.get(id)?.(answer ?? { error });
});
let lastId = 0;

function ask(method, params) {
  lastId += 1;
  const id = lastId;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return answer;
}

async function call(name, input) {
  print({ type: 'assistant', message: { content: [{ type: 'tool_use', name: `mcp__svc__${name}`, input }] } });
  const { content } = await ask('tools/call', { name, arguments: input });
  return content[0].text;
}

await ask('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'claude-code', version: '1' },
});
const prompt = argv[argv.indexOf('-p') + 1];
const [, user] = /user "([^"]+)"/.exec(prompt) ?? [];

/** Stores each message of each portion as it was said. */
async function extract() {
  const [, after] = / after "([^"]+)"/.exec(prompt) ?? [];
  const within = after === undefined ? {} : { after };
  let text = await call('messages_list', user === undefined ? within : { user, ...within });
  while (text.includes('This is portion')) {
    const [, portion] = /This is portion (\S+)/.exec(text);
    const said = [...text.matchAll(/^\[(\d+)\] \([^)]*\) user: (.+)$/gm)];
    const memories = said.map(([, number, content]) => ({ content, messages: [Number(number)], tags: ['said'] }));
    text = await call('memories_store', { portion, memories, ...within });
  }
  result({ is_error: false, result: 'All read.' });
  bridge.stdin.end();
  process.exit(0);
}

if (argv[argv.indexOf('--allowedTools') + 1].includes('memories_store')) await extract();
const work = await call('suggestions_list', user === undefined ? {} : { user });

if (script === 'endless') while (true) await call('suggestions_list', {});
if (script === 'hangs') {
  // As a program that ignores the polite signal.
  process.on('SIGTERM', () => {});
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

const memories = [...work.matchAll(/\[(mem_\w+)\] \([^)]*\)\n> (.+)/g)].map(([, id, text]) => ({ id, text }));
const suggestion = {
  kind: 'merge',
  memoryIds: memories.slice(0, 2).map(({ id }) => id),
  evidence: memories.slice(0, 2),
  reason: 'They say the same.',
  ...(user !== undefined && { user }),
};
await call('suggestions_propose', { suggestions: [suggestion] });
result({ is_error: false, result: 'One change.' });
bridge.stdin.end();
process.exit(0);
