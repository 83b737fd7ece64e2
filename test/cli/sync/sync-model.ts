import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { markdownFormat } from '../../../src/cli/sync/file-format.ts';
import { createFolder, type FileSystem, STATE_FOLDER } from '../../../src/cli/sync/folder.ts';
import { hashPart, type Note, parseNote } from '../../../src/cli/sync/note.ts';
import { createRemote } from '../../../src/cli/sync/remote.ts';
import { openState } from '../../../src/cli/sync/state.ts';
import { createSyncPass, type PassReport } from '../../../src/cli/sync/sync-pass.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { ApiError } from '../../../src/client/errors.ts';
import type { Fetch } from '../../../src/client/fetch.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import { systemClock } from '../../../src/lib/clock.ts';

/** Random edits on both sides of a synced folder, with crashes, and what must hold afterwards. */

const OPERATIONS = [
  ...(['file new', 'file edit', 'file delete', 'file move', 'file tag', 'file copy', 'file strip'] as const),
  ...(['conflict resolve', 'memory new', 'memory edit', 'memory tag', 'memory erase', 'memory outdate'] as const),
  ...(['file same text', 'nothing'] as const),
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Step {
  edits: { operation: Operation; pick: number }[];
  /** The step of input or output at which the process dies, and whether that step still takes effect. */
  crash: { at: number; takesEffect: boolean } | undefined;
  /** An edit while the sync runs, before this request. */
  meanwhile: { at: number; operation: Operation; pick: number } | undefined;
}

const pick = fc.nat(1000);
const operation = fc.constantFrom(...OPERATIONS);
export const steps = (maxLength: number) =>
  fc.array(
    fc.record({
      edits: fc.array(fc.record({ operation, pick }), { minLength: 1, maxLength: 4 }),
      crash: fc.option(fc.record({ at: fc.nat(60), takesEffect: fc.boolean() }), { nil: undefined, freq: 2 }),
      meanwhile: fc.option(fc.record({ at: fc.nat(12), operation, pick }), { nil: undefined, freq: 2 }),
    }),
    { minLength: 1, maxLength },
  );

export class Crash extends Error {
  override readonly name = 'Crash';
}

interface Place {
  baseUrl: string;
  apiKey: string;
  tenantId: string;
  user: string;
}

/**
 * Runs the steps in a new folder, lets both sides converge, and checks that nothing was lost or doubled. Returns how many
 * memories there are.
 */
export async function runSteps(all: readonly Step[], place: Place): Promise<number> {
  const root = await fs.mkdtemp(join(tmpdir(), 'svc-sync-'));
  try {
    await fs.mkdir(join(root, STATE_FOLDER));
    const world = createWorld(root, place);
    for (const { edits, crash, meanwhile } of all) {
      for (const edit of edits) await world.edit(edit.operation, edit.pick);
      await world.sync(crash, meanwhile);
    }
    let report: PassReport | undefined;
    // Copies of a file have the id of one, so that each run settles one of them.
    const edits = all.flatMap(({ edits, meanwhile }) => (meanwhile ? [...edits, meanwhile] : edits));
    const copies = edits.filter(({ operation }) => operation === 'file copy').length;
    for (let run = 0; run < 4 + copies && report?.changes.length !== 0; run += 1) report = await world.sync();
    expect(report!.changes).toEqual([]);
    return await world.check(report!);
  } finally {
    await fs.rm(root, { recursive: true, force: true });
  }
}

interface FoundFile {
  path: string;
  text: string;
  note: Note;
}

function createWorld(root: string, { baseUrl, apiKey, tenantId, user }: Place) {
  const person = createClient({ baseUrl, apiKey });
  const marks: { mark: string; isExpendable: boolean }[] = [];
  /** Marks that were in a file at some time. */
  const seen = new Set<string>();
  /** Whose file was last at a path: that of a file without properties still is. */
  const idsByPath = new Map<string, string>();
  const ids = new Set<string>();
  const newText = () => {
    const mark = `word${marks.length}x`;
    marks.push({ mark, isExpendable: false });
    return `A statement with ${mark} in it\nand a second line`;
  };
  const marksIn = (text: string): string[] => text.match(/word\d+x/g) ?? [];
  const giveUp = (text: string) => {
    for (const one of marks) if (marksIn(text).includes(one.mark)) one.isExpendable = true;
  };

  async function files(): Promise<FoundFile[]> {
    const names = await fs.readdir(root, { recursive: true });
    const paths = names.filter((name) => name.endsWith('.md') && !name.startsWith('.')).sort();
    const found = await Promise.all(
      paths.map(async (path) => {
        const text = await fs.readFile(join(root, path), 'utf8');
        for (const mark of marksIn(text)) seen.add(mark);
        const note = parseNote(text) as Note;
        if (note.id !== undefined) idsByPath.set(path, note.id);
        return { path, text, note };
      }),
    );
    return found;
  }

  async function memories(): Promise<Memory[]> {
    const found: Memory[] = [];
    for await (const memory of person.memories.list({ user, limit: 200, order: 'asc' })) found.push(memory);
    for (const { id } of found) ids.add(id);
    return found;
  }

  const historyOf = async (id: string) => (await person.memories.history(id)).data.map(({ content }) => content);

  /** What a person who deletes a file knows of: what files had of its memory, and what that replaced. */
  async function giveUpKnown(id: string): Promise<void> {
    const versions = await historyOf(id).catch(() => []);
    const newestSeen = versions.findIndex((content) => marksIn(content).some((mark) => seen.has(mark)));
    if (newestSeen >= 0) for (const content of versions.slice(newestSeen)) giveUp(content);
  }

  async function editFile(operation: Operation, index: number): Promise<void> {
    const all = await files();
    const candidates = all.filter(({ note }) => (note.conflictOf !== undefined) === (operation === 'conflict resolve'));
    const file = candidates[index % Math.max(1, candidates.length)];
    if (operation === 'file new') return fs.writeFile(join(root, `new ${marks.length}.md`), newText());
    if (!file) return;
    const path = join(root, file.path);
    if (operation === 'file same text') {
      return fs.writeFile(
        join(root, `same ${index}.md`),
        `${file.note.content.toUpperCase().replaceAll('WORD', 'word').replaceAll('X', 'x')}\n`,
      );
    }
    if (operation === 'file edit') {
      giveUp(file.text);
      const front = file.text.slice(0, file.text.length - file.note.content.length - 1);
      await fs.writeFile(path, `${file.note.hasFrontMatter ? front : ''}${newText()}\n`);
    } else if (operation === 'file tag') {
      if (file.text.includes('mood:')) return;
      const tagged = file.text.replace(/^---\n/, `---\nmood: "x: ${index}" # kept\n`);
      const isTagged = /^tags:/m.test(tagged) || !file.note.hasFrontMatter;
      await fs.writeFile(path, isTagged ? tagged : tagged.replace(/^---\n/, `---\ntags: [t${index}]\n`));
    } else if (operation === 'file strip') {
      giveUp(file.text);
      await fs.writeFile(path, newText());
    } else if (operation === 'file copy') await fs.writeFile(join(root, `copy ${index}.md`), file.text);
    else if (operation === 'file move') {
      await fs.mkdir(join(root, 'sub folder'), { recursive: true });
      const target = join(root, 'sub folder', `${index % 7} ${basename(file.path)}`);
      if (all.some(({ path: other }) => join(root, other) === target)) return;
      await fs.rename(path, target);
      const id = idsByPath.get(file.path);
      idsByPath.delete(file.path);
      // Without its id it is a new file, and the old one is deleted.
      if (file.note.id === undefined && id !== undefined) await giveUpKnown(id);
    } else if (operation === 'conflict resolve') {
      await fs.writeFile(path, file.text.replace(/^svc-conflict:.*\n/m, ''));
    } else if (operation === 'file delete') {
      await fs.rm(path);
      giveUp(file.text);
      const id = file.note.id ?? idsByPath.get(file.path);
      idsByPath.delete(file.path);
      if (id !== undefined) return giveUpKnown(id);
      // It became a memory just before a crash.
      for (const { id: other, content } of await memories()) {
        if (marksIn(content).some((mark) => marksIn(file.text).includes(mark))) await giveUpKnown(other);
      }
    }
  }

  async function editMemory(operation: Operation, index: number): Promise<void> {
    if (operation === 'memory new') {
      ids.add((await person.memories.create({ content: newText(), user, tags: ['made'] })).id);
      return;
    }
    const all = await memories();
    const memory = all[index % Math.max(1, all.length)];
    if (!memory) return;
    if (operation === 'memory edit') await person.memories.update(memory.id, { content: newText() });
    else if (operation === 'memory tag') await person.memories.update(memory.id, { addTags: [`a: "b" #${index}`] });
    else if (operation === 'memory outdate') {
      await person.memories.update(memory.id, { validTo: memory.validFrom });
    } else if (operation === 'memory erase') {
      for (const content of await historyOf(memory.id)) giveUp(content);
      await person.memories.delete(memory.id);
    }
  }

  const edit = (operation: Operation, index: number): Promise<void> => {
    if (operation === 'nothing') return Promise.resolve();
    return operation.startsWith('memory') ? editMemory(operation, index) : editFile(operation, index);
  };

  return {
    edit,
    async sync(crash?: Step['crash'], meanwhile?: Step['meanwhile']): Promise<PassReport | undefined> {
      let count = 0;
      let requests = 0;
      let isDead = false;
      /** Runs a step, at which the process may die. Once dead, nothing takes effect. */
      const atStep = async <T>(work: () => Promise<T>): Promise<T> => {
        if (isDead) throw new Crash();
        count += 1;
        if (count - 1 === crash?.at) {
          isDead = true;
          if (crash.takesEffect) await work();
          throw new Crash();
        }
        return work();
      };
      const sendOne: Fetch = async (url, request) => {
        requests += 1;
        if (meanwhile && requests === meanwhile.at + 1) await edit(meanwhile.operation, meanwhile.pick);
        return atStep(() => fetch(url, request as RequestInit));
      };
      const client: Client = createClient({ baseUrl, apiKey, fetch: sendOne, retries: 0 });
      const disk = failingDisk(atStep);
      const scope = { tenantId, user, project: null };
      try {
        const remote = createRemote(client, scope, markdownFormat);
        const state = await openState(root, scope, disk);
        const pass = createSyncPass({
          ...{ state, remote, scope, format: markdownFormat },
          folder: createFolder(root, disk, systemClock.nowMs, markdownFormat),
          day: () => '2026-11-26',
          newKey: () => crypto.randomUUID(),
          pause: async () => {},
          onProgress() {},
        });
        await remote.load(() => {});
        return await pass({ confirmsDeletions: true, dryRun: false });
      } catch (error) {
        if (!isDead) throw error;
        return undefined;
      }
    },
    /** Both sides are equal, and every text is somewhere, unless a person gave it up. */
    async check({ problems }: PassReport): Promise<number> {
      const left = new Set(problems.map(({ path }) => path));
      const found = await files();
      const current = await memories();
      const synced = found.filter(({ path, note }) => note.conflictOf === undefined && !left.has(path));
      // A memory whose files are all left alone waits for the person.
      const idsOf = (some: readonly FoundFile[]) => new Set(some.map(({ note }) => note.id));
      const waiting = idsOf(found.filter(({ path }) => left.has(path)));
      const held = idsOf(synced);
      const settled = current.filter(({ id }) => !waiting.has(id) || held.has(id));
      const sides = (notes: { id: string | undefined; hash: string }[]) =>
        notes.map(({ id, hash }) => `${id} ${hash}`).sort();
      expect(sides(synced.map(({ note }) => ({ id: note.id, hash: hashPart(note) })))).toEqual(
        sides(settled.map((memory) => ({ id: memory.id, hash: hashPart(memory) }))),
      );
      const texts = found.map(({ text }) => text);
      for (const id of ids) {
        texts.push(
          ...(await historyOf(id).catch((error) => {
            if (error instanceof ApiError && error.code === 'not_found') return [];
            throw error;
          })),
        );
      }
      const lost = marks.filter(
        ({ mark, isExpendable }) => !isExpendable && !texts.some((text) => marksIn(text).includes(mark)),
      );
      expect(lost).toEqual([]);
      // No text is two memories, and no conflict is kept twice.
      expect(new Set(current.map(({ content }) => content)).size).toBe(current.length);
      const conflicts = found.filter(({ note }) => note.conflictOf !== undefined).map(({ text }) => text);
      expect(new Set(conflicts).size).toBe(conflicts.length);
      return current.length;
    },
  };
}

/** A disk whose steps the process may not survive. */
export function failingDisk(atStep: <T>(work: () => Promise<T>) => Promise<T>): FileSystem {
  return {
    ...fs,
    mkdir: ((...parameters: Parameters<typeof fs.mkdir>) =>
      atStep(() => fs.mkdir(...parameters))) as FileSystem['mkdir'],
    link: (...parameters) => atStep(() => fs.link(...parameters)),
    rename: (...parameters) => atStep(() => fs.rename(...parameters)),
    rm: (...parameters) => atStep(() => fs.rm(...parameters)),
    unlink: (...parameters) => atStep(() => fs.unlink(...parameters)),
    async open(...parameters: Parameters<typeof fs.open>) {
      const handle = await fs.open(...parameters);
      return {
        /** A crash leaves half of it. */
        async writeFile(text: string) {
          let isWhole = false;
          try {
            await atStep(async () => {
              await handle.writeFile(text);
              isWhole = true;
            });
          } catch (error) {
            if (!isWhole && text.length > 2) await handle.writeFile(text.slice(0, text.length / 2)).catch(() => {});
            throw error;
          }
        },
        stat: () => handle.stat(),
        sync: () => atStep(async () => {}),
        close: () => handle.close(),
      } as unknown as fs.FileHandle;
    },
  };
}
