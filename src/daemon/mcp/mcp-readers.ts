import type { FastifyRequest } from 'fastify';
import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import { MAX_READ_SPACES } from '../../contract/space-names.ts';
import type { Principal } from '../../features/keys/keys.ts';
import { hasScope } from '../../features/keys/keys.ts';
import type { Search } from '../../features/search/search.ts';
import type { Memberships } from '../../features/spaces/memberships.ts';
import type { McpCall } from './mcp-tool.ts';
import type { ToolSet } from './mcp-tool-set.ts';

/** Recall from what a call reads: the space in which it acts, or those of `?spaces=`. */
export interface Recall {
  search(call: McpCall, request: SearchRequest): Promise<SearchAnswer>;
  context(call: McpCall, request: ContextRequest): Promise<ContextAnswer>;
  /** Runs `work` in each space that a call reads and where the member has a scope, until one has the id. Throws `not_found`. */
  findAmong<T>(call: McpCall, scope: Scope, work: (member: Principal) => Promise<T>): Promise<T>;
}

interface Parts {
  search: Search;
  memberships: Pick<Memberships, 'act' | 'confirm'>;
}

/** Composes recall for MCP. */
export function createRecall({ search, memberships: { act, confirm } }: Parts): Recall {
  return {
    search: async ({ principal, readers }, request) =>
      readers ? search.searchSeveral(await readers(), request, confirm) : search.search(principal, request),
    context: async ({ principal, readers }, request) =>
      readers ? search.contextOfSeveral(await readers(), request, confirm) : search.context(principal, request),
    async findAmong({ principal, readers }, scope, work) {
      if (!readers) return work(principal);
      let missing: unknown = new AppError('not_found', 'No space that is read has this id.');
      for (const member of (await readers()).filter((one) => hasScope(one, scope))) {
        try {
          return await act(member, () => work(member));
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
          missing = error;
        }
      }
      throw missing;
    },
  };
}

/**
 * The spaces that `/v1/mcp?spaces=default,team` reads, by id or name; `undefined` if only the one in which it acts. Throws
 * `invalid_request`.
 */
export function readSpacesOf({ query }: FastifyRequest, toolSet: ToolSet): string[] | undefined {
  const given = (query as { spaces?: string | string[] }).spaces;
  if (given === undefined) return undefined;
  const names = [...new Set([given].flat().flatMap((list) => list.split(',')))].filter((name) => name !== '');
  const rule =
    toolSet !== 'everyday'
      ? 'is for the tools of every day'
      : names.length === 0 || names.length > MAX_READ_SPACES
        ? `must name 1 to ${MAX_READ_SPACES} spaces`
        : undefined;
  if (rule === undefined) return names;
  throw new AppError('invalid_request', `spaces ${rule}.`, { errors: [{ path: 'spaces', message: rule }] });
}
