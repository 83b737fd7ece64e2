import { redactContents } from '../text/redacted-contents.ts';
import type { Suggestions } from './suggestions.ts';

/** Masks credentials in what callers suggest, and in the texts with which they accept. */
export function redactSuggestions(suggestions: Suggestions): Suggestions {
  return {
    ...suggestions,
    async suggestOnce(principal, given, claim) {
      const contents = given.map((content) => ({ content }));
      const { items } = await redactContents(principal.tenantId, contents);
      return suggestions.suggestOnce(
        principal,
        items.map(({ content }) => content),
        claim,
      );
    },
    async acceptOnce(principal, id, acceptance, conditions) {
      const { items } = await redactContents(principal.tenantId, [acceptance]);
      return suggestions.acceptOnce(principal, id, items[0]!, conditions);
    },
    async decideOnce(principal, decisions, claim) {
      return suggestions.decideOnce(principal, (await redactContents(principal.tenantId, decisions)).items, claim);
    },
  };
}
