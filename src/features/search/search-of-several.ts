import { AppError } from '../../contract/errors.ts';
import type { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';
import type { Answered } from './answered.ts';
import { limitOf } from './candidate-query.ts';
import { planContext } from './context-plan.ts';
import {
  joinAnswers,
  joinByStrength,
  joinStarts,
  jointRatings,
  joinWeights,
  labelsOf,
  type PlacedResult,
  placed,
  withRatings,
} from './several-spaces.ts';

/** Recall over several spaces. */
export interface SearchOfSeveral {
  /**
   * Searches spaces, each on its own and counted there, and joins what is found in those in which `confirm` still finds the
   * members. Throws like `search`, and `not_found` if no membership is left.
   */
  searchSeveral(members: readonly Principal[], request: SearchRequest, confirm: Confirm): Promise<SearchAnswer>;
  /** Like `context`, over several spaces. */
  contextOfSeveral(members: readonly Principal[], request: ContextRequest, confirm: Confirm): Promise<ContextAnswer>;
}

/** Returns those of the members who are still in their spaces. */
type Confirm = (members: readonly Principal[]) => Promise<Principal[]>;

interface Parts {
  clock: Clock;
  /** Searches one space, without counting it. */
  answer(principal: Principal, request: SearchRequest, use: (answered: Answered) => Answered): Promise<Answered>;
  /** Counts a query unless it fails. */
  countQuery<T>(principal: Principal, run: () => Promise<T>): Promise<T>;
  /** Takes back a query that was counted. Never throws. */
  refund(principal: Principal): Promise<void>;
  startSession(principal: Principal, request: ContextRequest): Promise<ContextAnswer>;
  tokenCounterOf(tenantId: string): CountTokens;
}

/** Tokens of the line that names a space, and the least that a session starts with of one. */
const HEADING = 20;
const MIN_START = 16;

/** Creates recall over several spaces from that of one. */
export function createSearchOfSeveral({
  clock,
  answer,
  countQuery,
  refund,
  startSession,
  tokenCounterOf,
}: Parts): SearchOfSeveral {
  /** Counts a query in each space. If one is refused or fails, nobody is charged. */
  async function countAll<T>(members: readonly Principal[], run: (member: Principal) => Promise<T>): Promise<T[]> {
    const outcomes = await Promise.allSettled(members.map((member) => countQuery(member, () => run(member))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) {
      await Promise.all(members.filter((_, index) => outcomes[index]!.status === 'fulfilled').map(refund));
      throw failed.reason;
    }
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  }

  /** Runs a request for each member, and returns the answers of those who are still in their spaces. */
  async function answerAll(members: readonly Principal[], request: SearchRequest, confirm: Confirm) {
    const run = (member: Principal) => answer(member, request, (answered) => answered);
    const all = await countAll(members, async (member) => ({ member, answered: await run(member) }));
    const confirmed = await confirm(members);
    const kept = all.filter(({ member }) => confirmed.includes(member));
    if (kept.length === 0) throw new AppError('not_found', 'You are no longer in these spaces.');
    const labels = labelsOf(kept.map(({ member }) => member));
    const { parsed } = kept[0]!.answered;
    const { minRelevance = 0 } = request;
    const ratingOf = jointRatings(
      kept.map(({ answered: { found } }) => found),
      parsed,
      clock.nowMs(),
    );
    return kept.map(({ member, answered }, index) => {
      const rated = withRatings(answered.answer.results, (result) => ratingOf(index, result));
      const results = rated.filter(({ relevance }) => relevance >= minRelevance);
      return { member, answered: { ...answered, answer: { ...answered.answer, results } }, label: labels[index]! };
    });
  }

  /**
   * Remembers what was shown of each space, for feedback there. Members see each other's searches: what somebody types
   * elsewhere is not stored with that of a prompt.
   */
  function rememberShown(
    all: Awaited<ReturnType<typeof answerAll>>,
    shown: readonly { id: string; space?: string }[],
    { isPrompt }: { isPrompt: boolean },
  ) {
    for (const { label, member, answered } of all) {
      const own = shown.flatMap(({ id, space }) => (space === label ? [id] : []));
      answered.remember(own, { withQuery: !isPrompt || member.space === undefined });
    }
  }

  async function startAll(members: readonly Principal[], request: ContextRequest, confirm: Confirm) {
    const { maxTokens = 1000 } = request;
    const share = { ...request, maxTokens: Math.max(MIN_START, Math.floor(maxTokens / members.length) - HEADING) };
    const starts = await countAll(members, (one) => startSession(one, share));
    const confirmed = await confirm(members);
    const kept = starts.filter((_, index) => confirmed.includes(members[index]!));
    return joinStarts(confirmed, kept, { maxTokens, countTokens: tokenCounterOf(members[0]!.tenantId) });
  }

  return {
    async searchSeveral(members, request, confirm) {
      if (request.contextTokens !== undefined || request.explain) throw notForSeveral();
      const all = await answerAll(members, request, confirm);
      const answers = all.map(({ answered }) => answered.answer);
      const joined = joinAnswers(
        all.map(({ label }) => label),
        answers,
        limitOf(request),
      );
      rememberShown(all, joined.results, { isPrompt: false });
      return joined;
    },
    async contextOfSeveral(members, request, confirm) {
      if (request.explain) throw notForSeveral();
      if (request.purpose === 'session_start') return startAll(members, request, confirm);
      const plan = planContext(request);
      const all = await answerAll(members, plan.search, confirm);
      const lists: PlacedResult[][] = [];
      for (const { member, label, answered } of all) {
        lists.push(placed(await plan.choose(answered, member.tenantId), label));
      }
      const weights = joinWeights(all.map(({ answered }) => answered.weights));
      const results = joinByStrength(lists, plan.limit);
      const context = await plan.compose(results, weights, tokenCounterOf(members[0]!.tenantId));
      rememberShown(all, context.citations, { isPrompt: request.purpose === 'prompt' });
      const searches = all.map(({ label, answered }) => ({ space: label, searchId: answered.answer.searchId }));
      const confidence = Math.max(...all.map(({ answered }) => answered.answer.confidence));
      return { searchId: searches[0]!.searchId, confidence, ...context, searches };
    },
  };
}

function notForSeveral(): AppError {
  return new AppError('invalid_request', 'explain and contextTokens are for one space. Name one with X-Svc-Space.');
}
