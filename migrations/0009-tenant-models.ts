import type { Migration } from './index.ts';

/** Per-tenant embedding models beside the operator's. */
export const tenantModels: Migration = {
  name: '0009-tenant-models',
  async up(db) {
    // Empty for the operator's model, which serves everyone.
    await db.raw(`ALTER TABLE "embeddingModels" ADD COLUMN "tenantId" TEXT NOT NULL DEFAULT ''`);
    // Provider whose key is used; null for the operator's model.
    await db.raw('ALTER TABLE "embeddingModels" ADD COLUMN provider TEXT');
    // Id up to which the tenant's rows of the first unfinished type were scanned.
    await db.raw(`ALTER TABLE "embeddingModels" ADD COLUMN "fillAfter" TEXT NOT NULL DEFAULT ''`);
    await db.raw('CREATE INDEX embedding_models_tenant ON "embeddingModels" ("tenantId")');
    // Models with work left to do.
    await db.raw(`CREATE INDEX embedding_models_open ON "embeddingModels" (id) WHERE state <> 'serving'
      OR "memoryFill" IS NOT NULL OR "messageFill" IS NOT NULL OR "episodeFill" IS NOT NULL`);
  },
};
