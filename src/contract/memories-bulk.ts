import { type Static, Type } from 'typebox';
import { CountedPage, redactedProperty, strict } from './common.ts';
import { Memory, MemoryChange, MemoryFilter, memoryPageFields } from './memories.ts';
import { ErrorCodeName } from './problem.ts';

/** The most memories that one call names or matches. */
export const MAX_BULK = 10_000;

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
  minItems: 1,
  maxItems: MAX_BULK,
  uniqueItems: true,
  description: 'Instead of filter',
});
/** A filter that does not match everything. */
export const NarrowMemoryFilter = Type.Object(MemoryFilter.properties, {
  ...strict,
  minProperties: 1,
  description: 'Instead of ids; must have a condition',
});
const DryRun = Type.Boolean({ default: false, description: 'Only counts what would be affected' });

/** Either `ids` or `filter` selects the memories. */
export interface MemorySelection {
  ids?: string[];
  filter?: MemoryFilter;
}

export const MemoriesRequest = Type.Object(
  { ids: Type.Optional(Ids), filter: Type.Optional(MemoryFilter), ...memoryPageFields },
  strict,
);
export type MemoriesRequest = Static<typeof MemoriesRequest>;

export const FoundMemories = Type.Object({
  ...CountedPage(Memory).properties,
  notFound: Type.Optional(Type.Array(Type.String(), { description: 'The ids of the request that do not exist' })),
});
export type FoundMemories = Static<typeof FoundMemories>;

export const MemoriesUpdate = Type.Object(
  {
    ids: Type.Optional(Ids),
    filter: Type.Optional(NarrowMemoryFilter),
    change: MemoryChange,
    dryRun: Type.Optional(DryRun),
  },
  strict,
);
export type MemoriesUpdate = Static<typeof MemoriesUpdate>;

export const MemoriesDeletion = Type.Object(
  { ids: Type.Optional(Ids), filter: Type.Optional(NarrowMemoryFilter), dryRun: Type.Optional(DryRun) },
  strict,
);
export type MemoriesDeletion = Static<typeof MemoriesDeletion>;

/** Why one memory of a bulk call was left unchanged. */
export const BulkFailure = Type.Object({
  id: Type.String(),
  code: ErrorCodeName,
  detail: Type.String(),
});
export type BulkFailure = Static<typeof BulkFailure>;

const outcome = {
  matched: Type.Integer({ description: 'Memories that exist and were selected' }),
  failed: Type.Array(BulkFailure),
  dryRun: Type.Boolean(),
};

export const UpdatedMemories = Type.Object({
  ...outcome,
  updated: Type.Integer({ description: 'Memories that now have the change; 0 in a dry run' }),
  ...redactedProperty,
});
export type UpdatedMemories = Static<typeof UpdatedMemories>;

export const DeletedMemories = Type.Object({ ...outcome, deleted: Type.Integer({ description: '0 in a dry run' }) });
export type DeletedMemories = Static<typeof DeletedMemories>;
