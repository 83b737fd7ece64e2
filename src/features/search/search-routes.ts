import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import { StoredLanguages } from '../../contract/stored-languages.ts';
import type { Principal } from '../keys/keys.ts';
import type { Search } from './search.ts';
import type { FindStoredLanguages } from './stored-languages.ts';

interface Parts {
  search: Search;
  storedLanguages: FindStoredLanguages;
  memberships: ReadSpaces;
}

/** Memberships of the caller in the spaces that it reads. */
interface ReadSpaces {
  /** Throws `not_found` for a space that the caller has not joined, and `invalid_request` where a header names one, too. */
  enterAll(principal: Principal, spaces: readonly string[]): Promise<Principal[]>;
  /** Returns those memberships that still hold. */
  confirm(members: readonly Principal[]): Promise<Principal[]>;
}

/** Routes of search and context, over one space or several, and of the languages that searches meet. */
export function searchRoutes({ search, storedLanguages, memberships }: Parts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/v1/retrieval/languages', { schema: { response: { 200: StoredLanguages } } }, ({ principal }) =>
      storedLanguages(principal),
    );
    app.post(
      '/v1/search',
      { schema: { body: SearchRequest, response: { 200: SearchAnswer } } },
      async ({ principal, body: { spaces, ...request } }) => {
        if (!spaces) return search.search(principal, request);
        const members = await memberships.enterAll(principal, spaces);
        return search.searchSeveral(members, request, memberships.confirm);
      },
    );
    app.post(
      '/v1/context',
      { schema: { body: ContextRequest, response: { 200: ContextAnswer } } },
      async ({ principal, body: { spaces, ...request } }) => {
        if (!spaces) return search.context(principal, request);
        const members = await memberships.enterAll(principal, spaces);
        return search.contextOfSeveral(members, request, memberships.confirm);
      },
    );
  };
}
