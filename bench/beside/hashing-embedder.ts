import { stemOf } from '../../src/features/text/porter.ts';
import { queryTerms } from '../../src/features/text/terms.ts';
import { type Embedder, serveEmbeddings } from '../embedding-server.ts';
import { normalized } from '../retrieval/word-vectors.ts';

/** Dimensions of the vectors. */
export const DIMENSIONS = 1024;

/** Serves vectors of hashed words: a model that takes next to no time. */
export function serveHashedWords(): Promise<Embedder> {
  return serveEmbeddings(async (texts) => texts.map(hashedWords));
}

/** Counts the stems of a text's words in buckets, by the sign of another bit of their hash (Weinberger et al. 2009). */
function hashedWords(text: string): Float64Array {
  const counts = new Float64Array(DIMENSIONS);
  for (const stem of queryTerms(text).map(stemOf)) {
    const hash = hashOf(stem);
    counts[hash % DIMENSIONS]! += hash & 0x8000_0000 ? -1 : 1;
  }
  return normalized(counts);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
