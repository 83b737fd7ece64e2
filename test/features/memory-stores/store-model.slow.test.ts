import { createHash } from 'node:crypto';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

const PATHS = ['/a', '/a/b', '/a/b/c', '/a/x', '/ab', '/b/c', '/b/d/e', '/é'];
const TEXTS = ['', 'tea', 'TEA', 'tea\n', 'milk'];

let daemon: MemoryDaemon;
let sdk: Anthropic;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  const { apiKey } = await daemon.account();
  sdk = new Anthropic({ baseURL: daemon.baseUrl, apiKey, authToken: null, maxRetries: 0 });
});
afterAll(() => daemon.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Operation {
  kind: 'create' | 'write' | 'move' | 'delete';
  /** Which of the memories ever created. */
  of: number;
  path: string;
  text: string;
  /** Whose digest the content is expected to have. */
  expected: string | undefined;
}

const operations = fc.array(
  fc.record<Operation>({
    kind: fc.constantFrom('create', 'create', 'write', 'move', 'delete'),
    of: fc.nat(5),
    path: fc.constantFrom(...PATHS),
    text: fc.constantFrom(...TEXTS),
    expected: fc.option(fc.constantFrom(...TEXTS), { nil: undefined, freq: 2 }),
  }),
  { minLength: 1, maxLength: 14 },
);

interface File {
  id: string;
  path: string;
  text: string;
}

/** What a store answers, in memory. Answers with the kind of the error, or with `undefined`. */
function createModel() {
  const files = new Map<string, File>();
  const versions: string[] = [];
  const conflict = (path: string, own?: string) =>
    [...files.values()].some(
      (file) =>
        file.id !== own && (file.path === path || path.startsWith(`${file.path}/`) || file.path.startsWith(`${path}/`)),
    );
  return {
    files,
    versions,
    create(path: string): string | undefined {
      return conflict(path) ? 'memory_path_conflict_error' : undefined;
    },
    created(file: File) {
      files.set(file.id, file);
      versions.push(`created ${file.path} ${file.text}`);
    },
    change(id: string, { path, text }: Partial<File>, expected: string | undefined): string | undefined {
      const file = files.get(id);
      if (!file) return 'not_found_error';
      const next = { id, path: path ?? file.path, text: text ?? file.text };
      if (next.path === file.path && next.text === file.text) return undefined;
      if (expected !== undefined && expected !== file.text) return 'memory_precondition_failed_error';
      if (next.path !== file.path && conflict(next.path, id)) return 'memory_path_conflict_error';
      files.set(id, next);
      versions.push(`modified ${next.path} ${next.text}`);
      return undefined;
    },
    remove(id: string, expected: string | undefined): string | undefined {
      const file = files.get(id);
      if (!file) return 'not_found_error';
      if (expected !== undefined && expected !== file.text) return 'memory_precondition_failed_error';
      files.delete(id);
      versions.push(`deleted ${file.path} null`);
      return undefined;
    },
  };
}

/** Orders paths as the daemon does, by their bytes. */
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

test('a store answers random changes like a model of it', async () => {
  await fc.assert(
    fc.asyncProperty(operations, fc.integer({ min: 1, max: 5 }), async (changes, limit) => {
      daemon.clock.advance(61_000);
      const { memories, memoryVersions } = sdk.beta.memoryStores;
      const { id: storeId } = await sdk.beta.memoryStores.create({ name: 'Model' });
      const model = createModel();
      const ids: string[] = [];
      const kindOf = (error: unknown) => {
        if (!(error instanceof APIError)) throw error;
        return error.type as string;
      };
      for (const { kind, of, path, text, expected } of changes) {
        daemon.clock.advance(1);
        if (kind === 'create') {
          const answer = await memories.create(storeId, { path, content: text }).catch(kindOf);
          if (typeof answer === 'string') expect(answer).toBe(model.create(path));
          else {
            expect(model.create(path)).toBeUndefined();
            model.created({ id: answer.id, path, text });
            ids.push(answer.id);
          }
          continue;
        }
        const id = ids[of % ids.length] ?? `mem_${'0'.repeat(32)}`;
        const digest = expected === undefined ? undefined : sha256(expected);
        const own = { memory_store_id: storeId };
        if (kind === 'delete') {
          const given = { ...own, ...(digest && { expected_content_sha256: digest }) };
          const answer = await memories.delete(id, given).catch(kindOf);
          expect(typeof answer === 'string' ? answer : undefined).toBe(model.remove(id, expected));
          continue;
        }
        const fields = kind === 'move' ? { path } : { content: text };
        const precondition = digest && ({ type: 'content_sha256', content_sha256: digest } as const);
        const answer = await memories
          .update(id, { ...own, ...fields, ...(precondition && { precondition }) })
          .catch(kindOf);
        const wanted = model.change(id, kind === 'move' ? { path } : { text }, expected);
        expect(typeof answer === 'string' ? answer : undefined).toBe(wanted);
      }
      const listed: string[] = [];
      for await (const file of memories.list(storeId, { limit, view: 'full' })) {
        if (file.type === 'memory') listed.push(`${file.path} ${file.content}`);
      }
      const kept = [...model.files.values()].sort((one, other) => byBytes(one.path, other.path));
      expect(listed).toEqual(kept.map(({ path, text }) => `${path} ${text}`));
      const found: string[] = [];
      for await (const { operation, path, content } of memoryVersions.list(storeId, { limit, view: 'full' })) {
        found.push(`${operation} ${path} ${content}`);
      }
      expect(found.reverse()).toEqual(model.versions);
    }),
    { numRuns: 20 },
  );
}, 120_000);
