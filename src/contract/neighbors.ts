import { type Static, Type } from 'typebox';
import { strict } from './common.ts';
import { Memory } from './memories.ts';

export const NeighborsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'The most memories of each relation' }),
    ),
  },
  strict,
);
export type NeighborsQuery = Static<typeof NeighborsQuery>;

/** A memory that is related to another one of the same user. */
export const MemoryNeighbor = Type.Object({
  relation: Type.Enum(['supersededBy', 'supersedes', 'source', 'episode', 'similar'], {
    description:
      '`supersededBy`: it took the place of the memory, directly or through others; `supersedes`: the other way round; `source`: both come from the same message or conversation; `episode`: from the same episode; `similar`: it says something alike',
  }),
  similarity: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Cosine of the vectors, of `similar` ones that have vectors' }),
  ),
  memory: Memory,
});
export type MemoryNeighbor = Static<typeof MemoryNeighbor>;
export const MemoryNeighbors = Type.Object({
  data: Type.Array(MemoryNeighbor, { description: 'Each memory once, by the first relation in the order above' }),
});
