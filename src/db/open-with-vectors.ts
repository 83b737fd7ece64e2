import { AppError } from '../contract/errors.ts';
import { type Database, type OpenOptions, openDatabase } from './open.ts';
import { vectorExtension } from './vector-extension.ts';

/**
 * Opens a database in which vectors can be searched. Where sqlite-vec cannot be loaded it throws as `openDatabase` does
 * if that `isNeeded`; else the database opens without, and `cannotSearch` says so to people.
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
    // What is wrong with the file itself is found again.
    return { db: await openDatabase(file, options), cannotSearch: NO_VECTORS };
  }
}

const NO_VECTORS =
  'Vectors cannot be searched on the machine of this daemon (sqlite-vec, which that needs, cannot be loaded there). Ask its operator.';
