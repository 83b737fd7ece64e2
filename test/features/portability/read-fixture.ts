import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Value from 'typebox/value';
import { expect } from 'vitest';
import { PortableConversation, PortableMemory, PortableMessage } from '../../../src/contract/portability.ts';
import type { ForeignItem, ForeignRecord } from '../../../src/features/portability/formats/foreign-records.ts';
import type { ReaderOptions } from '../../../src/features/portability/formats/import-reader.ts';
import { FOREIGN_READERS } from '../../../src/features/portability/formats/readers.ts';
import { createRecordCheck } from '../../../src/features/portability/record-check.ts';

export type ForeignFormat = keyof typeof FOREIGN_READERS;

export const READER_OPTIONS: ReaderOptions = {
  tenantId: 'ten_1',
  nowMs: Date.UTC(2026, 10, 20, 9),
  user: 'default',
  tags: ['imported'],
  check: createRecordCheck(),
};

/** Files from other systems with invented content, and the expected counts of each. */
export const FIXTURES: {
  file: string;
  format: ForeignFormat;
  memories: number;
  conversations: number;
  messages: number;
  omissions: number;
  faults: number;
}[] = [
  { file: 'chatgpt-conversations.json', format: 'chatgpt', ...counts(0, 2, 9), omissions: 9, faults: 1 },
  { file: 'claude-conversations.json', format: 'claude', ...counts(0, 2, 5), omissions: 6, faults: 0 },
  { file: 'claude-memories.json', format: 'claude', ...counts(4, 0, 0), omissions: 0, faults: 0 },
  { file: 'mem0-memories.json', format: 'mem0', ...counts(3, 0, 0), omissions: 2, faults: 1 },
  { file: 'basic-memory-notes.ndjson', format: 'basic-memory', ...counts(11, 0, 0), omissions: 1, faults: 2 },
  { file: 'mcp-memory.jsonl', format: 'mcp-memory', ...counts(4, 0, 0), omissions: 1, faults: 1 },
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

/** Yields the bytes in pieces of the given sizes, cycling through them. */
export async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, piece = 0; start < bytes.length; piece++) {
    const size = sizes[piece % sizes.length]!;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** Reads a whole file and expects every record to conform to the contract. */
export async function read(
  format: ForeignFormat,
  file: string | Uint8Array | AsyncIterable<Uint8Array>,
  options = READER_OPTIONS,
): Promise<ForeignItem[]> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const items: ForeignItem[] = [];
  for await (const item of FOREIGN_READERS[format](
    bytes instanceof Uint8Array ? inPieces(bytes, [4096]) : bytes,
    options,
  )) {
    if ('record' in item) expect(Value.Errors(schemaOf(item.record), item.record)).toEqual([]);
    items.push(item);
  }
  return items;
}

function schemaOf({ type }: ForeignRecord) {
  return type === 'memory' ? PortableMemory : type === 'message' ? PortableMessage : PortableConversation;
}

export function recordsOf<Type extends ForeignRecord['type']>(items: readonly ForeignItem[], type: Type) {
  return items
    .flatMap((item) => ('record' in item ? [item.record] : []))
    .filter((record): record is Extract<ForeignRecord, { type: Type }> => record.type === type);
}

export function reasonsOf(items: readonly ForeignItem[]): string[] {
  return items.flatMap((item) => ('reason' in item ? [`${item.fault ? '!' : ''}${item.place}: ${item.reason}`] : []));
}
