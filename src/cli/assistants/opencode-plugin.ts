import { ownFile, ownFileWriter } from './own-file.ts';

const MARK = '// Written by svc mcp-config --hooks; svc mcp-config --remove deletes it.';

/** The plugin of opencode, which reports events to JavaScript functions and not to commands. */
export const OPENCODE_PLUGIN = ownFile(MARK);

/** Returns the function that writes the plugin, for the command that starts `svc hook` without a shell. */
export function opencodePluginWriter(command: readonly string[]): (text: string) => string {
  return ownFileWriter(
    MARK,
    PLUGIN.replace('COMMAND_WORDS', () => JSON.stringify(command)),
  );
}

/** Returns the words of the command that a plugin starts, without event and client. */
export function opencodePluginCommand(text: string): string[] {
  const [, words = '[]'] = /^const \[COMMAND, \.\.\.ARGUMENTS\] = (\[.*\]);$/m.exec(text) ?? [];
  return JSON.parse(words);
}

/** JavaScript for the plugin interface of opencode 1 (`@opencode-ai/plugin`). It has no dependencies. */
const PLUGIN = `import { spawn } from 'node:child_process';

const [COMMAND, ...ARGUMENTS] = COMMAND_WORDS;
const LIMIT_MS = 2000;

/** Runs svc hook. Resolves to the context that it adds, and never rejects. */
function hook(event, input) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(COMMAND, [...ARGUMENTS, event, '--client', 'opencode'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
      windowsHide: true,
    });
    child.on('error', () => resolve(undefined));
    child.on('close', () => resolve(contextIn(output)));
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

function contextIn(output) {
  try {
    return JSON.parse(output).additionalContext;
  } catch {
    return undefined;
  }
}

function textOf(parts) {
  const said = parts.filter((part) => part.type === 'text' && !part.synthetic && !part.ignored);
  return said.map(({ text }) => text).join('\\n');
}

export const svc = async ({ client, directory }) => {
  /** By session, whether a person talks in it: subagents have sessions of their own. */
  const sessions = new Map();
  let last = Promise.resolve();
  const input = (session, fields) => ({ session_id: session, cwd: directory, ...fields });

  async function begin(session) {
    const found = await client.session.get({ path: { id: session } }).catch(() => undefined);
    sessions.set(session, !found?.data?.parentID);
  }

  async function stop(session) {
    const found = await client.session.messages({ path: { id: session } }).catch(() => undefined);
    const message = found?.data?.at(-1);
    if (message?.info.role !== 'assistant') return;
    await hook('stop', input(session, { last_assistant_message: textOf(message.parts) }));
  }

  return {
    async 'chat.message'({ sessionID }, { message, parts }) {
      const isNew = !sessions.has(sessionID);
      if (isNew) await begin(sessionID);
      if (!sessions.get(sessionID)) return;
      const started = isNew ? await hook('session-start', input(sessionID, { source: 'startup' })) : undefined;
      const recalled = await hook('prompt', input(sessionID, { prompt: textOf(parts) }));
      const text = [started, recalled].filter(Boolean).join('\\n');
      if (text === '') return;
      const id = 'prt_svc' + message.id.replace('msg_', '');
      parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true });
    },
    async 'experimental.session.compacting'({ sessionID }) {
      if (sessions.get(sessionID)) await hook('pre-compact', input(sessionID));
    },
    async event({ event }) {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (!sessions.get(session)) return;
      if (event.type === 'session.idle') last = last.then(() => stop(session));
      if (event.type === 'session.deleted') {
        sessions.delete(session);
        last = last.then(() => hook('session-end', input(session)));
      }
      await last;
    },
    async dispose() {
      await last;
      const open = [...sessions].filter(([, isOwn]) => isOwn);
      await Promise.all(open.map(([session]) => hook('session-end', input(session))));
    },
  };
};
`;
