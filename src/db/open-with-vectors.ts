import { AppError } from '../contract/errors.ts';
import { type Database, type OpenOptions, openDatabase } from './open.ts';
import { vectorExtension } from './vector-extension.ts';

/**
 * Opens a database with vector search. If sqlite-vec cannot be loaded, it throws like `openDatabase` when `isNeeded`;
 * otherwise the database opens without it, and `cannotSearch` is the reason to show to users.
 */
export async function openWithVectors(
  file: string,
  options: OpenOptions,
  { isNeeded, locate = vectorExtension }: { isNeeded: boolean; locate?: (() => Promise<string>) | undefined },
): Promise<{ db: Database; cannotSearch: string | undefined }> {
  try {
    return { db: await openDatabase(file, { ...options, extension: await locate() }), cannotSearch: undefined };
  } catch (error) {
    if (isNeeded || !(error instanceof AppError)) throw error;
    // A problem with the file itself will be thrown again.
    return { db: await openDatabase(file, options), cannotSearch: NO_VECTORS };
  }
}

const NO_VECTORS = 'This daemon cannot search vectors (sqlite-vec cannot be loaded on its machine). Ask its operator.';
