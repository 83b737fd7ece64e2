import type { Migration } from './index.ts';

/** Embedding models that tenants chose for themselves, beside the operator's. */
export const tenantModels: Migration = {
  name: '0009-tenant-models',
  async up(db) {
    // Empty: the operator's, for everyone.
    await db.raw(`ALTER TABLE "embeddingModels" ADD COLUMN "tenantId" TEXT NOT NULL DEFAULT ''`);
    // Whose key it is asked with; empty for the operator's.
    await db.raw('ALTER TABLE "embeddingModels" ADD COLUMN provider TEXT');
    // A tenant's rows are looked through by their ids: up to which one, of the first type that is not done.
    await db.raw(`ALTER TABLE "embeddingModels" ADD COLUMN "fillAfter" TEXT NOT NULL DEFAULT ''`);
    await db.raw('CREATE INDEX embedding_models_tenant ON "embeddingModels" ("tenantId")');
    // Those that something is to be done for, whatever is written.
    await db.raw(`CREATE INDEX embedding_models_open ON "embeddingModels" (id) WHERE state <> 'serving'
      OR "memoryFill" IS NOT NULL OR "messageFill" IS NOT NULL OR "episodeFill" IS NOT NULL`);
  },
};
