import { Type } from 'typebox';
import { Name, strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { type Suggestion, SuggestionDecision } from '../../contract/suggestions.ts';
import type { Principal } from '../../features/keys/keys.ts';
import { hasScope } from '../../features/keys/scope.ts';
import type { Memories } from '../../features/memories/memories.ts';
import { etagOfSuggestion, type Suggestions } from '../../features/suggestions/suggestions.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets } from '../../lib/secret.ts';
import { USER } from './mcp-notes.ts';
import { REVIEW_APP } from './mcp-review-app.ts';
import { READS, type Registration, tool, WRITES } from './mcp-tool.ts';

export interface ReviewParts {
  suggestions: Pick<Suggestions, 'list' | 'get' | 'accept' | 'reject' | 'undo'>;
  memories: Pick<Memories, 'get'>;
  sealer: Sealer;
  clock: Clock;
  publicUrl: () => string;
}

/** A suggestion as the screen shows it. Without a ticket it cannot be decided there. */
interface Card {
  suggestion: Suggestion;
  memories: { id: string; content: string }[];
  ticket?: string;
}

/** What the screen gets and the model does not. */
interface Screen {
  cards: Card[];
  canDecide: boolean;
  /** Where the same can be decided in the web app. */
  url: string;
}

const URI = 'ui://svc/review';
/** By the MCP Apps extension. */
const MIME_TYPE = 'text/html;profile=mcp-app';
const SCREEN = 'svc/review';
const SHOWN = 10;
const SHOWN_CHARACTERS = 1000;
const TICKET_MS = 30 * 60_000;

const Review = Type.Object({ user: Type.Optional(Name) }, strict);
type Review = { user?: string };
const Shown = Type.Object({ shown: Type.Integer() });
const Decision = Type.Object(
  {
    ...Type.Pick(SuggestionDecision, ['id', 'decision', 'keep']).properties,
    ticket: Type.String({ minLength: 1, maxLength: 200 }),
  },
  strict,
);
type Decision = Pick<SuggestionDecision, 'id' | 'decision' | 'keep'> & { ticket: string };
const Decided = Type.Object({ id: Type.String(), state: Type.String() });

/**
 * The tools and the screen with which a person reviews suggestions inside a chat (MCP Apps). The model may open the
 * screen. Deciding takes a ticket that only the screen gets, for a suggestion as it was shown, and the scope `account`.
 */
export function createReviewTools({ suggestions, memories, sealer, clock, publicUrl }: ReviewParts): Registration[] {
  const macOf = ({ tenantId, credential }: Principal, suggestion: Suggestion, untilMs: number) => {
    const shown = [tenantId, credential.kind, credential.hash, suggestion.id, etagOfSuggestion(suggestion), untilMs];
    return sealer.authenticate(JSON.stringify(shown), 'review');
  };

  function ticketFor(principal: Principal, suggestion: Suggestion): string {
    const untilMs = clock.nowMs() + TICKET_MS;
    return `${untilMs}.${macOf(principal, suggestion, untilMs)}`;
  }

  function requireTicket(principal: Principal, suggestion: Suggestion, ticket: string): void {
    const untilMs = Number(ticket.split('.')[0]);
    const isIssued = equalSecrets(ticket, `${untilMs}.${macOf(principal, suggestion, untilMs)}`);
    if (isIssued && untilMs > clock.nowMs()) return;
    throw new AppError(
      'forbidden',
      'Only the person decides, on a screen that shows the suggestion as it is now. Open it again.',
    );
  }

  async function cardOf(principal: Principal, suggestion: Suggestion): Promise<Card> {
    const found = await Promise.all(
      suggestion.memoryIds.map((id) =>
        memories.get(principal, id).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'not_found') return undefined;
          throw error;
        }),
      ),
    );
    const texts = found.flatMap((memory) =>
      memory ? [{ id: memory.id, content: memory.content.slice(0, SHOWN_CHARACTERS) }] : [],
    );
    const canDecide = hasScope(principal, 'account');
    return { suggestion, memories: texts, ...(canDecide && { ticket: ticketFor(principal, suggestion) }) };
  }

  function screenOf(principal: Principal, cards: Card[]): Screen {
    return { cards, canDecide: hasScope(principal, 'account'), url: `${publicUrl()}/dashboard/review` };
  }

  const decideAs = {
    accept: (principal: Principal, { id, keep }: Decision, etag: string) =>
      suggestions.accept(principal, id, keep === undefined ? {} : { keep }, etag),
    reject: (principal: Principal, { id }: Decision, etag: string) => suggestions.reject(principal, id, etag),
    undo: (principal: Principal, { id }: Decision, etag: string) => suggestions.undo(principal, id, etag),
  };

  return [
    tool({
      name: 'suggestions_review',
      title: 'Review suggestions',
      description: 'Show the user the open suggestions about their memories, to decide on a screen.',
      annotations: READS,
      ui: { resourceUri: URI, visibility: ['model', 'app'] },
      input: Review,
      arguments: { user: USER },
      output: Shown,
      async run(principal, { user }: Review) {
        const query = { state: 'open', limit: SHOWN, ...(user !== undefined && { user }) } as const;
        const { data } = await suggestions.list(principal, query);
        const cards = await Promise.all(data.map((suggestion) => cardOf(principal, suggestion)));
        return { shown: cards.length, screen: screenOf(principal, cards) };
      },
      text: ({ shown }) =>
        `${shown} open suggestions are on the user's screen. The user decides them there; you cannot.`,
      meta: ({ screen }) => ({ [SCREEN]: screen }),
    }),
    tool({
      name: 'suggestions_decide',
      title: 'Decide a suggestion',
      description: 'For the review screen only.',
      annotations: WRITES,
      scope: 'account',
      ui: { resourceUri: URI, visibility: ['app'] },
      input: Decision,
      arguments: { id: 'sug_… id', decision: 'What to do', keep: 'mem_… id', ticket: 'From the screen' },
      output: Decided,
      async run(principal, decision: Decision) {
        const shown = await suggestions.get(principal, decision.id);
        requireTicket(principal, shown, decision.ticket);
        const decided = await decideAs[decision.decision](principal, decision, etagOfSuggestion(shown));
        const screen = screenOf(principal, [await cardOf(principal, decided)]);
        return { id: decided.id, state: decided.state, screen };
      },
      text: ({ id, state }) => `${id}: ${state}`,
      meta: ({ screen }) => ({ [SCREEN]: screen }),
    }),
    reviewScreen(),
  ];
}

function reviewScreen(): Registration {
  const config = { title: 'Review', description: 'Decides suggestions.', mimeType: MIME_TYPE };
  // Without domains, a host lets the page load and reach nothing.
  const _meta = { ui: { prefersBorder: false, csp: { connectDomains: [], resourceDomains: [] } } };
  const register: Registration = (server) => {
    server.registerResource('review', URI, config, () => ({
      contents: [{ uri: URI, mimeType: MIME_TYPE, text: REVIEW_APP, _meta }],
    }));
  };
  return Object.assign(register, { forApps: true } as const);
}
