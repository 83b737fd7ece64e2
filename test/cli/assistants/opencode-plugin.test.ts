import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { opencodePluginWriter } from '../../../src/cli/assistants/opencode-plugin.ts';
import { HOOK_CLIENTS, HOOK_EVENTS } from '../../../src/cli/hook/hook-event.ts';
import { scratchHome } from './scratch-home.ts';

interface Part {
  id: string;
  sessionID: string;
  messageID: string;
  type: string;
  text: string;
  synthetic?: boolean;
}

interface Plugin {
  'chat.message'(input: object, output: object): Promise<void>;
  'experimental.session.compacting'(input: object, output: object): Promise<void>;
  event(input: object): Promise<void>;
  dispose(): Promise<void>;
}

const scratch = scratchHome();
let log: string;
let round = 0;

/** A program in place of svc: it notes how it was called, on one line and the next, and answers with the event. */
const PROGRAM = `log=$1; shift
printf '%s\\n%s\\n' "$*" "$(cat)" >> "$log"
case $2 in prompt | session-start) printf '{"additionalContext":"%s"}\\n' "$2" ;; esac
`;

const MESSAGES = [
  { info: { role: 'user' }, parts: [{ type: 'text', text: 'which tea?' }] },
  {
    info: { role: 'assistant' },
    parts: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'Jasmine' }, { type: 'step-finish' }],
  },
];

/** Loads the plugin as opencode does, from a file. */
async function load(command?: string[]): Promise<Plugin> {
  const program = await scratch.put('program.sh', PROGRAM);
  log = join(scratch.folder, 'calls');
  const text = opencodePluginWriter(command ?? ['/bin/sh', program, log, 'hook'])('');
  const path = await scratch.put(`plugin-${++round}.mjs`, text);
  const { svc } = await import(pathToFileURL(path).href);
  return svc({
    directory: '/home/ada/tea',
    client: {
      session: {
        get: async ({ path }: { path: { id: string } }) =>
          path.id === 'ses_gone' ? Promise.reject(new Error('gone')) : { data: path.id === 'ses_child' ? CHILD : {} },
        messages: async () => ({ data: MESSAGES }),
      },
    },
  });
}
const CHILD = { parentID: 'ses_1' };

async function calls(): Promise<[string[], object][]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  const pairs = text.matchAll(/(.*)\n(.*)\n/g);
  return [...pairs].map(([, argv = '', input = '']) => [argv.split(' '), JSON.parse(input)]);
}

async function say(plugin: Plugin, text: string, sessionID = 'ses_1'): Promise<Part[]> {
  const parts: Part[] = [{ id: 'prt_1', sessionID, messageID: 'msg_1', type: 'text', text }];
  await plugin['chat.message']({ sessionID }, { message: { id: 'msg_1' }, parts });
  return parts.slice(1);
}

const idle = (sessionID = 'ses_1') => ({ event: { type: 'session.idle', properties: { sessionID } } });

describe('the plugin of opencode', () => {
  let plugin: Plugin;
  beforeEach(async () => {
    plugin = await load();
  });

  test('adds what svc recalls to the message, without showing it', async () => {
    const [part, ...others] = await say(plugin, 'which tea?');
    expect(part).toEqual({
      id: 'prt_svc1',
      sessionID: 'ses_1',
      messageID: 'msg_1',
      type: 'text',
      text: 'session-start\nprompt',
      synthetic: true,
    });
    expect(others).toEqual([]);
    expect((await say(plugin, 'and coffee?'))[0]?.text).toBe('prompt');
  });

  test('reports prompts, answers, compactions and the end of sessions', async () => {
    await say(plugin, 'which tea?');
    await plugin.event(idle());
    await plugin['experimental.session.compacting']({ sessionID: 'ses_1' }, { context: [] });
    await plugin.event({ event: { type: 'session.deleted', properties: { info: { id: 'ses_1' } } } });
    await say(plugin, 'which tea?', 'ses_2');
    await plugin.dispose();
    const session = (id: string) => ({ session_id: id, cwd: '/home/ada/tea' });
    expect((await calls()).map(([[, event], input]) => [event, input])).toEqual([
      ['session-start', { ...session('ses_1'), source: 'startup' }],
      ['prompt', { ...session('ses_1'), prompt: 'which tea?' }],
      ['stop', { ...session('ses_1'), last_assistant_message: 'Jasmine' }],
      ['pre-compact', session('ses_1')],
      ['session-end', session('ses_1')],
      ['session-start', { ...session('ses_2'), source: 'startup' }],
      ['prompt', { ...session('ses_2'), prompt: 'which tea?' }],
      ['session-end', session('ses_2')],
    ]);
  });

  test('calls only events and clients that svc hook knows', async () => {
    await say(plugin, 'which tea?');
    await plugin.event(idle());
    for (const [[command, event, option, client]] of await calls()) {
      expect([command, option]).toEqual(['hook', '--client']);
      expect(HOOK_EVENTS).toContain(event);
      expect(HOOK_CLIENTS).toContain(client);
    }
  });

  test('ignores what the model says to subagents, and sessions that it did not see begin', async () => {
    expect(await say(plugin, 'search for tea', 'ses_child')).toEqual([]);
    await plugin.event(idle('ses_child'));
    await plugin.event(idle('ses_other'));
    await plugin.event({ event: { type: 'server.connected', properties: {} } });
    expect(await calls()).toEqual([]);
  });

  test('does not disturb opencode if svc is missing or a session cannot be read', async () => {
    expect(await say(plugin, 'which tea?', 'ses_gone')).toHaveLength(1);
    const broken = await load([join(scratch.folder, 'missing')]);
    expect(await say(broken, 'which tea?')).toEqual([]);
    await broken.event(idle());
    await broken.dispose();
  });
});
