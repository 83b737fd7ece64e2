import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Value from 'typebox/value';
import { expect } from 'vitest';
import { PortableConversation, PortableMemory, PortableMessage } from '../../../src/contract/portability.ts';
import type { ForeignRecord, RecordRead } from '../../../src/features/portability/formats/foreign-records.ts';
import { FOREIGN_READERS } from '../../../src/features/portability/formats/readers.ts';
import type { ImportGiven } from '../../../src/features/portability/import-items.ts';
import { createRecordCheck } from '../../../src/features/portability/record-check.ts';

export type ForeignFormat = keyof typeof FOREIGN_READERS;

export const GIVEN: ImportGiven = {
  nowMs: Date.UTC(2026, 10, 20, 9),
  user: 'default',
  tags: ['imported'],
  check: createRecordCheck(),
};

/** Files of other systems with invented content, and how much of each is read. */
export const FIXTURES: {
  file: string;
  format: ForeignFormat;
  memories: number;
  conversations: number;
  messages: number;
  remarks: number;
  faults: number;
}[] = [
  { file: 'chatgpt-conversations.json', format: 'chatgpt', ...counts(0, 2, 9), remarks: 9, faults: 1 },
  { file: 'claude-conversations.json', format: 'claude', ...counts(0, 2, 5), remarks: 6, faults: 0 },
  { file: 'claude-memories.json', format: 'claude', ...counts(4, 0, 0), remarks: 0, faults: 0 },
  { file: 'mem0-memories.json', format: 'mem0', ...counts(3, 0, 0), remarks: 2, faults: 1 },
  { file: 'basic-memory-notes.ndjson', format: 'basic-memory', ...counts(11, 0, 0), remarks: 1, faults: 2 },
  { file: 'mcp-memory.jsonl', format: 'mcp-memory', ...counts(4, 0, 0), remarks: 1, faults: 1 },
];

function counts(memories: number, conversations: number, messages: number) {
  return { memories, conversations, messages };
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

export function fixture(name: string): Promise<Buffer> {
  return readFile(fixturePath(name));
}

/** The bytes in pieces of the given sizes, over and over. */
export async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** All that is read from a file; every record fits the contract. */
export async function read(
  format: ForeignFormat,
  file: string | Uint8Array | AsyncIterable<Uint8Array>,
  given = GIVEN,
): Promise<RecordRead[]> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const found: RecordRead[] = [];
  for await (const item of FOREIGN_READERS[format](
    bytes instanceof Uint8Array ? inPieces(bytes, [4096]) : bytes,
    given,
  )) {
    if ('record' in item) expect(Value.Errors(schemaOf(item.record), item.record)).toEqual([]);
    found.push(item);
  }
  return found;
}

function schemaOf({ type }: ForeignRecord) {
  return type === 'memory' ? PortableMemory : type === 'message' ? PortableMessage : PortableConversation;
}

export function recordsOf<Type extends ForeignRecord['type']>(found: readonly RecordRead[], type: Type) {
  return found
    .flatMap((item) => ('record' in item ? [item.record] : []))
    .filter((record): record is Extract<ForeignRecord, { type: Type }> => record.type === type);
}

export function reasonsOf(found: readonly RecordRead[]): string[] {
  return found.flatMap((item) => ('reason' in item ? [`${item.fault ? '!' : ''}${item.place}: ${item.reason}`] : []));
}
