import type { ItemType } from '../../contract/search.ts';
import type { Connection } from '../../db/connection.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { DocumentTerms } from './document-terms.ts';
import { type ChunkEntry, encodeChunk, entriesOf } from './posting-chunks.ts';
import { tokenOf } from './terms.ts';

/** The terms of a document, as its row has them. */
export interface ListedTerms {
  tenantId: string;
  number: number;
  prefix: string;
  terms: string;
}

/** A chunk of a term's postings, as bound to a statement. */
interface Chunk {
  tenantId: string;
  term: string;
  first: number;
  last: number;
  documents: number;
  /** Bytes as PostgreSQL reads them: hexadecimal. */
  entries: string;
}

interface StoredChunk {
  tenantId: string;
  term: string;
  first: number;
  entries: Buffer;
}

// OFFSET 0 keeps the planner from reading all chunks of a tenant instead of looking up each, which it does while the table
// has no statistics.

/** Where writes append. Rows have numbers above. */
const OPEN = 0;
/** An open chunk beyond this is sealed: an append rewrites the chunk, of which a page holds several. */
const MAX_OPEN_BYTES = 1000;
/** Entries of a sealed chunk: well below the 2 kB from which PostgreSQL stores values out of line. */
const MAX_SEALED_ENTRIES = 250;
/** Chunks in one statement. */
const MAX_CHUNKS = 1000;
const CHUNKS_PER_STEP = 64;

const LISTED = `json_to_recordset(CAST(? AS json)) AS
  e(tenantId text, term text, first bigint, last bigint, documents bigint, entries bytea)`;

/** Appends documents to the postings of their terms. */
export async function appendEntries(
  connection: Connection,
  type: ItemType,
  documents: readonly DocumentTerms[],
): Promise<void> {
  const chunks = await runInSlices(openChunksInSteps(documents), 'urgent');
  const full = await upsertChunks(connection, type, chunks, APPEND);
  if (full.length === 0) return;
  const sealed = await runInSlices(sealedChunksInSteps(full), 'urgent');
  await deleteChunks(connection, type, full);
  await upsertChunks(connection, type, sealed, APPEND);
}

/** Removes documents from the postings of their terms. */
export async function removeEntries(
  connection: Connection,
  type: ItemType,
  documents: readonly ListedTerms[],
): Promise<void> {
  for (const tenantId of new Set(documents.map((document) => document.tenantId))) {
    const own = documents.filter((document) => document.tenantId === tenantId);
    const numbersOf = await runInSlices(numbersInSteps(own), 'urgent');
    const numbers = own.map(({ number }) => number);
    const terms = [...numbersOf.keys()];
    for (let start = 0; start < terms.length; start += MAX_CHUNKS) {
      const found = await connection.all<StoredChunk>(
        `SELECT p.tenantId, p.term, p.first, p.entries FROM texts(?) t JOIN LATERAL
           (SELECT * FROM textPostings WHERE tenantId = ? AND type = ? AND term = t.value AND first <= ? AND last >= ?
            OFFSET 0) p ON TRUE`,
        [
          JSON.stringify(terms.slice(start, start + MAX_CHUNKS)),
          ...[tenantId, type, Math.max(...numbers), Math.min(...numbers)],
        ],
      );
      const { changed, emptied } = await runInSlices(withoutInSteps(found, numbersOf), 'urgent');
      await upsertChunks(connection, type, changed, REPLACE);
      await deleteChunks(connection, type, emptied);
    }
  }
}

/** Sorted, so that transactions that write the same chunks take their locks in one order. */
function* openChunksInSteps(documents: readonly DocumentTerms[]): Generator<void, Chunk[]> {
  const byTerm = new Map<string, { tenantId: string; term: string; entries: ChunkEntry[] }>();
  for (const { row, length, frequencies } of documents) {
    const { tenantId, number, prefix } = row;
    for (const [stem, frequency] of frequencies) {
      const term = tokenOf(prefix, stem);
      const key = `${tenantId} ${term}`;
      const open = byTerm.get(key) ?? { tenantId, term, entries: [] };
      byTerm.set(key, open);
      open.entries.push({ number, frequency, length });
    }
    yield;
  }
  const chunks: Chunk[] = [];
  for (const key of [...byTerm.keys()].sort()) {
    const { tenantId, term, entries } = byTerm.get(key)!;
    chunks.push(toChunk({ tenantId, term }, entries, OPEN));
    if (chunks.length % CHUNKS_PER_STEP === 0) yield;
  }
  return chunks;
}

function* sealedChunksInSteps(full: readonly StoredChunk[]): Generator<void, Chunk[]> {
  const chunks: Chunk[] = [];
  for (const open of full) {
    const entries = entriesOf(open.entries);
    for (let start = 0; start < entries.length; start += MAX_SEALED_ENTRIES) {
      const part = entries.slice(start, start + MAX_SEALED_ENTRIES);
      chunks.push(toChunk(open, part, part[0]!.number));
    }
    yield;
  }
  return chunks;
}

/** The numbers to remove from the postings of each term. */
function* numbersInSteps(documents: readonly ListedTerms[]): Generator<void, Map<string, Set<number>>> {
  const numbersOf = new Map<string, Set<number>>();
  for (const { number, prefix, terms } of documents) {
    for (const stem of terms.split(' ')) {
      const term = tokenOf(prefix, stem);
      numbersOf.set(term, (numbersOf.get(term) ?? new Set()).add(number));
    }
    yield;
  }
  return numbersOf;
}

/** The chunks without the numbers to remove; those that held none are left out. */
function* withoutInSteps(
  found: readonly StoredChunk[],
  numbersOf: ReadonlyMap<string, ReadonlySet<number>>,
): Generator<void, { changed: Chunk[]; emptied: StoredChunk[] }> {
  const changed: Chunk[] = [];
  const emptied: StoredChunk[] = [];
  for (const [index, chunk] of found.entries()) {
    const entries = entriesOf(chunk.entries);
    const removed = numbersOf.get(chunk.term)!;
    const kept = entries.filter(({ number }) => !removed.has(number));
    if (kept.length === 0) emptied.push(chunk);
    else if (kept.length < entries.length) changed.push(toChunk(chunk, kept, chunk.first));
    if (index % CHUNKS_PER_STEP === CHUNKS_PER_STEP - 1) yield;
  }
  return { changed, emptied };
}

function toChunk(
  { tenantId, term }: Pick<Chunk, 'tenantId' | 'term'>,
  entries: readonly ChunkEntry[],
  first: number,
): Chunk {
  const last = entries.at(-1)!.number;
  const bytes = encodeChunk(entries).toString('hex');
  return { tenantId, term, first, last, documents: entries.length, entries: `\\x${bytes}` };
}

const APPEND = `last = GREATEST(p.last, excluded.last), documents = p.documents + excluded.documents,
  entries = p.entries || excluded.entries`;
const REPLACE = 'documents = excluded.documents, entries = excluded.entries';

/** Creates chunks or changes those that exist, and returns the open ones that are full. */
async function upsertChunks(
  connection: Connection,
  type: ItemType,
  chunks: readonly Chunk[],
  change: string,
): Promise<StoredChunk[]> {
  const full: StoredChunk[] = [];
  for (let start = 0; start < chunks.length; start += MAX_CHUNKS) {
    const rows = await connection.all<StoredChunk>(
      `WITH written AS (
         INSERT INTO textPostings AS p (tenantId, type, term, first, last, documents, entries)
         SELECT e.tenantId, ?, e.term, e.first, e.last, e.documents, e.entries FROM ${LISTED}
         ON CONFLICT (tenantId, type, term, first) DO UPDATE SET ${change}
         RETURNING p.tenantId, p.term, p.first, p.entries)
       SELECT * FROM written WHERE first = ? AND LENGTH(entries) > ?`,
      [type, JSON.stringify(chunks.slice(start, start + MAX_CHUNKS)), OPEN, MAX_OPEN_BYTES],
    );
    full.push(...rows);
  }
  return full;
}

async function deleteChunks(
  connection: Connection,
  type: ItemType,
  chunks: readonly Pick<Chunk, 'tenantId' | 'term' | 'first'>[],
): Promise<void> {
  if (chunks.length === 0) return;
  const keys = chunks.map(({ tenantId, term, first }) => ({ tenantId, term, first }));
  await connection.run(
    `DELETE FROM textPostings WHERE ctid = ANY (ARRAY(SELECT p.ctid FROM ${LISTED} JOIN LATERAL
       (SELECT ctid FROM textPostings p WHERE p.tenantId = e.tenantId AND p.type = ? AND p.term = e.term
        AND p.first = e.first OFFSET 0) p ON TRUE))`,
    [JSON.stringify(keys), type],
  );
}
