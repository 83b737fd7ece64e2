import { AppError } from '../../contract/errors.ts';
import type { SearchRequest } from '../../contract/search.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import { noModel, type QueryEmbedder } from '../embeddings/query-embedder.ts';

const SEMANTIC_AS_OF = 'Semantic search covers the present only: leave out asOf, or leave out the strategy.';

/**
 * Requests the query's vector, to be awaited after the term lookups; `undefined` if the strategy does not use it, there
 * is no model, or `asOf` asks for the past, which has no vectors. For the strategy `semantic` throws `unprocessable`
 * where vectors are impossible and rejects where the model fails.
 */
export function findQueryVector(
  embedder: QueryEmbedder,
  tenantId: string,
  { query, wordings = [], asOf, strategy }: Pick<SearchRequest, 'query' | 'wordings' | 'asOf' | 'strategy'>,
): Promise<QueryVector | undefined> | undefined {
  const isRequired = strategy === 'semantic';
  if (isRequired && asOf !== undefined) throw new AppError('unprocessable', SEMANTIC_AS_OF);
  if (asOf !== undefined || strategy === 'lexical') return undefined;
  const pending = embedder.vectorOf(tenantId, [query, ...wordings].join('\n'));
  if (isRequired && pending === undefined) throw noModel();
  const vector = pending?.then((result) => {
    if (!(result instanceof AppError)) return result;
    if (isRequired) throw result;
    return undefined;
  });
  // The search may fail before it awaits this.
  vector?.catch(() => {});
  return vector;
}
