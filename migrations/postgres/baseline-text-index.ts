import type { Knex } from 'knex';
import { createTenantTable, TEXT } from './tables.ts';

/** The full-text index: for each term of a user the documents that hold it, and each document with its terms. */
export async function createTextIndexTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'textDocuments',
    `type ${TEXT} NOT NULL,
     number bigint NOT NULL,
     -- Of the user and the part, live or past; the stored terms of the postings begin with it.
     prefix ${TEXT} NOT NULL,
     -- Tokens in the document.
     length bigint NOT NULL,
     -- The distinct stems, separated by spaces: a document is removed without its text.
     terms ${TEXT} NOT NULL,
     PRIMARY KEY ("tenantId", type, number)`,
  );
  await createTenantTable(
    db,
    'textPostings',
    `type ${TEXT} NOT NULL,
     term ${TEXT} NOT NULL,
     -- The least number in the chunk, or less; 0 for the chunk that writes append to.
     "first" bigint NOT NULL,
     -- The greatest number in the chunk, or more.
     "last" bigint NOT NULL,
     documents bigint NOT NULL,
     -- Number, frequency and length of each document, as variable-length integers.
     entries bytea NOT NULL,
     PRIMARY KEY ("tenantId", type, term, "first")`,
  );
  // Space for the next version of a row on the same page, so that an append does not change the index.
  await db.raw('ALTER TABLE "textPostings" SET (fillfactor = 80)');
  // Hardly compressible: trying only costs time.
  await db.raw('ALTER TABLE "textPostings" ALTER COLUMN entries SET STORAGE EXTERNAL');
}
