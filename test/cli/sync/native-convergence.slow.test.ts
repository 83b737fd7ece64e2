import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolder, STATE_FOLDER } from '../../../src/cli/sync/folder.ts';
import { NATIVE_ASSISTANTS, type NativeName } from '../../../src/cli/sync/native-assistants.ts';
import { nativeFormat } from '../../../src/cli/sync/native-format.ts';
import { createRemote } from '../../../src/cli/sync/remote.ts';
import { openState } from '../../../src/cli/sync/state.ts';
import { createSyncPass, type PassReport } from '../../../src/cli/sync/sync-pass.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import type { Fetch } from '../../../src/client/fetch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { Crash, failingDisk } from './sync-model.ts';

/** `svc sync --native` on two machines, with edits on either, of memories, and crashes at any step. */

const PATHS = ['MEMORY.md', 'debugging.md', 'Tea.md', 'logs/2026/11.md'];
const PROJECT = 'github.com/acme/tea';

interface Step {
  machine: number;
  edits: { do: 'write' | 'delete' | 'memory edit' | 'memory erase'; machine: number; path: string }[];
  crash: { at: number; takesEffect: boolean } | undefined;
}

const assistant = fc.constantFrom(...(Object.keys(NATIVE_ASSISTANTS) as NativeName[]));
const machine = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.record({
  machine,
  edits: fc.array(
    fc.record({
      do: fc.constantFrom('write', 'write', 'write', 'delete', 'memory edit', 'memory erase'),
      machine,
      path: fc.constantFrom(...PATHS),
    }),
    { maxLength: 3 },
  ),
  crash: fc.option(fc.record({ at: fc.nat(40), takesEffect: fc.boolean() }), { nil: undefined, freq: 2 }),
});

let daemon: TestDaemon;
let account: { apiKey: string; tenantId: string };
let users = 0;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const signedIn = await daemon.signIn('native@example.com');
  await daemon.accounts.setTier(signedIn.account.tenantId, 'Enterprise');
  account = { apiKey: signedIn.apiKey, tenantId: signedIn.account.tenantId };
});

afterAll(() => daemon.close());

async function createWorld(roots: readonly string[], native: NativeName) {
  const { apiKey, tenantId } = account;
  const { baseUrl } = daemon;
  const person = createClient({ baseUrl, apiKey });
  const user = `native-${++users}`;
  const format = nativeFormat(native, PROJECT);
  /** Words of texts that nobody overwrote or deleted. */
  const kept = new Set<string>();
  let words = 0;
  const wordsIn = (text: string): string[] => text.match(/word\d+x/g) ?? [];
  const newText = () => {
    const word = `word${words++}x`;
    kept.add(word);
    return `A note with ${word} in it\n\n- and a list\n`;
  };
  const giveUp = (text: string) => {
    for (const word of wordsIn(text)) kept.delete(word);
  };
  const memories = async () => (await person.memories.list({ user, limit: 200 })).data;

  async function files(root: string): Promise<Map<string, string>> {
    const names = (await fs.readdir(root, { recursive: true })).filter((name) => /^[^.].*\.md$/.test(name)).sort();
    return new Map(
      await Promise.all(names.map(async (name) => [name, await fs.readFile(join(root, name), 'utf8')] as const)),
    );
  }

  return {
    files,
    memories,
    kept,
    async edit({ do: operation, machine: index, path }: Step['edits'][number]): Promise<void> {
      const at = join(roots[index]!, path);
      const text = await fs.readFile(at, 'utf8').catch(() => '');
      const memory = (await memories()).find(({ externalId }) => externalId?.endsWith(`/${path}`));
      if (operation === 'write') {
        giveUp(text);
        await fs.mkdir(dirname(at), { recursive: true });
        await fs.writeFile(at, newText());
      } else if (operation === 'delete') {
        giveUp(text);
        await fs.rm(at, { force: true });
      } else if (memory && operation === 'memory edit') {
        giveUp(memory.content);
        await person.memories.update(memory.id, { content: newText() });
      } else if (memory) {
        for (const { content } of (await person.memories.history(memory.id)).data) giveUp(content);
        await person.memories.delete(memory.id);
      }
    },
    async sync(root: string, crash?: Step['crash']): Promise<PassReport | undefined> {
      let count = 0;
      let isDead = false;
      const atStep = async <T>(work: () => Promise<T>): Promise<T> => {
        if (isDead) throw new Crash();
        count += 1;
        if (count - 1 !== crash?.at) return work();
        isDead = true;
        if (crash.takesEffect) await work();
        throw new Crash();
      };
      const send: Fetch = (url, request) => atStep(() => fetch(url, request as RequestInit));
      const client: Client = createClient({ baseUrl, apiKey, fetch: send, retries: 0 });
      const disk = failingDisk(atStep);
      const scope = { tenantId, user, project: PROJECT, native };
      try {
        const remote = createRemote(client, scope, format);
        const state = await openState(root, scope, disk);
        await remote.load(() => {});
        const folder = createFolder(root, disk, systemClock.nowMs, format);
        const more = {
          day: () => '2026-11-27',
          newKey: () => crypto.randomUUID(),
          pause: async () => {},
          onProgress() {},
        };
        const pass = createSyncPass({ folder, state, remote, scope, format, ...more });
        return await pass({ confirmsDeletions: true, dryRun: false });
      } catch (error) {
        if (!isDead) throw error;
        return undefined;
      }
    },
  };
}

async function run(steps: readonly Step[], native: NativeName = 'claude-code'): Promise<void> {
  const roots = await Promise.all([0, 1].map(() => fs.mkdtemp(join(tmpdir(), 'svc-native-'))));
  daemon.clock.advance(120_000);
  try {
    for (const root of roots) await fs.mkdir(join(root, STATE_FOLDER));
    const world = await createWorld(roots, native);
    for (const { edits, machine: index, crash } of steps) {
      for (const edit of edits) await world.edit(edit);
      await world.sync(roots[index]!, crash);
    }
    for (let round = 0; ; round += 1) {
      const reports = [await world.sync(roots[0]!), await world.sync(roots[1]!)];
      if (reports.every((report) => report!.changes.length === 0)) break;
      expect(round).toBeLessThan(5);
    }
    const [ours, theirs] = await Promise.all(roots.map((root) => world.files(root)));
    const withoutConflicts = (all: Map<string, string>) => [...all].filter(([path]) => !path.includes('(conflict'));
    expect(withoutConflicts(ours!)).toEqual(withoutConflicts(theirs!));
    const memories = await world.memories();
    const names = memories.map(({ externalId }) => externalId!.slice(`${native}:${PROJECT}/`.length)).sort();
    expect(names).toEqual(withoutConflicts(ours!).map(([path]) => path));
    for (const { externalId, content } of memories) {
      const text = ours!.get(externalId!.slice(`${native}:${PROJECT}/`.length))!;
      expect(content.trimEnd().endsWith(text.trimEnd())).toBe(true);
    }
    const texts = [...ours!.values(), ...theirs!.values()].join();
    expect([...world.kept].filter((word) => !texts.includes(word))).toEqual([]);
  } finally {
    for (const root of roots) await fs.rm(root, { recursive: true, force: true });
  }
}

test('makes the files of two machines equal and loses none, whatever changes and wherever a sync crashes', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 8 });
  await fc.assert(fc.asyncProperty(steps, assistant, run), { numRuns: 5 });
}, 120_000);

test('makes one memory of a new file, wherever the first sync of it crashes', async () => {
  const write = { do: 'write', path: 'logs/2026/11.md' } as const;
  for (let at = 0; at < 14; at += 1) {
    const crash = { at, takesEffect: true };
    await run([
      { machine: 0, edits: [{ ...write, machine: 0 }], crash },
      { machine: 1, edits: [], crash },
    ]);
  }
}, 120_000);

test('keeps both texts if a file of the same name came from another machine before a crashed sync goes on', async () => {
  const write = { do: 'write', path: 'MEMORY.md' } as const;
  for (let at = 0; at < 14; at += 1) {
    await run([
      { machine: 0, edits: [{ ...write, machine: 0 }], crash: { at, takesEffect: true } },
      { machine: 1, edits: [{ ...write, machine: 1 }], crash: undefined },
      { machine: 0, edits: [], crash: undefined },
    ]);
  }
}, 120_000);
