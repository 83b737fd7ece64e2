import type { AddedSuggestion, NewSuggestion } from '../../contract/suggestions.ts';
import type { TidyQuery, TidyWork } from '../../contract/tidy.ts';
import type { Principal } from '../keys/keys.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';
import { requireEvidence } from '../suggestions/support-check.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { ReadPortion } from './work-list.ts';

/** Lets the model of an assistant tidy memories: it reads them by portions, and proposes changes that a person decides. */
export interface Tidy {
  /** Memories of a user that are about the same, by portions in the order of ids. */
  list(principal: Principal, query: TidyQuery): Promise<TidyWork>;
  /**
   * Stores a proposed change as a suggestion of the assistant. Throws like `suggestOnce`, and `invalid_request` if it quotes
   * nothing.
   */
  propose(principal: Principal, proposal: NewSuggestion): Promise<AddedSuggestion>;
}

interface Parts {
  cursors: Cursors;
  suggestions: Pick<Suggestions, 'suggestOnce'>;
  readPortion: ReadPortion;
}

const PORTION = 24;

/** Composes the work list and proposing. */
export function createTidy({ cursors, suggestions, readPortion }: Parts): Tidy {
  return {
    async list({ tenantId }, { user = 'default', project, cursor, limit = PORTION }) {
      const boundTo = ['tidy', tenantId, user, project];
      const afterId = cursor === undefined ? '' : cursors.read(cursor, boundTo);
      const portion = await readPortion({ tenantId, user, project }, { afterId, limit });
      return {
        data: portion.clusters.map((cluster) => ({ memories: cluster })),
        nextCursor: portion.afterId === null ? null : cursors.write(portion.afterId, boundTo),
        suggestions: portion.suggestions,
        read: portion.read,
      };
    },
    async propose(principal, proposal) {
      requireEvidence(proposal);
      const { body } = await suggestions.suggestOnce(principal, [proposal], undefined);
      return body.data[0]!;
    },
  };
}
