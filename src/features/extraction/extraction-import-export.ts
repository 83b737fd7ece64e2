import type { Connection, Reader } from '../../db/connection.ts';
import { insertThrough, listThrough } from './extraction-store.ts';

/** How far a model has read a conversation. */
export interface Extracted {
  conversationId: string;
  throughOrdinal: number;
}

/** Export and import of how far conversations were read: what somebody deleted since is not extracted again. */
export interface ExtractionTransfer {
  /** Finds how far some conversations were read; those that were not are missing. */
  read(reader: Reader, tenantId: string, conversationIds: readonly string[]): Promise<Extracted[]>;
  /** Imports for new conversations, in the caller's transaction. */
  restore(connection: Connection, tenantId: string, extracted: readonly Extracted[]): Promise<void>;
}

export const extractionTransfer: ExtractionTransfer = { read: listThrough, restore: insertThrough };
