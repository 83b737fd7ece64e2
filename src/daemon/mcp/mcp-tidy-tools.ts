import { Type } from 'typebox';
import { strict } from '../../contract/common.ts';
import { refusalOf } from '../../contract/errors.ts';
import { factOf, fence, oneLine, quoted } from '../../contract/fence.ts';
import { MAX_SUGGESTIONS, NewSuggestion, NewSuggestions, type Suggestion } from '../../contract/suggestions.ts';
import {
  type ProposedSuggestion,
  ProposedSuggestions,
  type TidyMemory,
  TidyQuery,
  TidyWork,
} from '../../contract/tidy.ts';
import type { Principal } from '../../features/keys/keys.ts';
import type { Tidy } from '../../features/tidy/tidy.ts';
import { argumentReader } from './mcp-arguments.ts';
import { PROJECT, TIME, USER } from './mcp-notes.ts';
import { READS, type Registration, tool, WRITES } from './mcp-tool.ts';

/** Each item is checked separately, so that a wrong one does not lose the others. */
const Proposals = Type.Object(
  {
    suggestions: Type.Array(Type.Unsafe<unknown>({}), {
      minItems: 1,
      maxItems: MAX_SUGGESTIONS,
    }),
  },
  strict,
);

/** The tools with which a model tidies memories. There is none to decide: who proposes does not. */
export function createTidyTools({ tidy }: { tidy: Tidy }): Registration[] {
  return [
    tool({
      name: 'suggestions_list',
      title: 'List memories to tidy',
      description:
        'Read a portion of the memories as clusters that may be about the same, with ids and dates, and the open suggestions about them.',
      annotations: READS,
      alwaysLoad: true,
      input: TidyQuery,
      arguments: {
        user: USER,
        project: 'Only its memories and general ones',
        cursor: 'From the previous portion',
        limit: 'Memories of a portion, up to 50, default 24',
      },
      output: TidyWork,
      run: (principal, input: TidyQuery) => tidy.list(principal, input),
      text: workText,
    }),
    tool({
      name: 'suggestions_propose',
      title: 'Propose changes of memories',
      description:
        'Propose changes of memories, which a person decides. Each is stored or refused separately; a known one is not stored again.',
      annotations: WRITES,
      alwaysLoad: true,
      input: Proposals,
      listed: NewSuggestions,
      arguments: {
        suggestions: [
          'Up to 100',
          {
            kind: 'merge: they say the same; supersede: a newer one replaces older ones; contradiction: not both can hold; expire: its time has passed; split: it says several things',
            memoryIds: 'mem_… ids, oldest first; of supersede, the last one takes the place of the others',
            content: 'The text of merge; of split, a line for each memory',
            validFrom: `Since when the newer one holds: ${TIME}`,
            evidence: ['The words that support it', { id: 'mem_… id', text: 'Exact words of this memory' }],
            reason: 'One sentence',
            confidence: 'Share of such suggestions that are right, 0 to 1',
            user: USER,
            project: PROJECT,
          },
        ],
      },
      output: ProposedSuggestions,
      run: async (principal, { suggestions }: { suggestions: unknown[] }) => ({
        data: await proposeEach(tidy, principal, suggestions),
      }),
      text: proposedText,
    }),
  ];
}

/** Where the proposal stands in the request of REST. */
const OWN_PATH = /^\/suggestions\/0\/?(?:: )?/;
const readProposal = argumentReader<NewSuggestion>(NewSuggestion);

async function proposeEach(tidy: Tidy, principal: Principal, given: readonly unknown[]): Promise<ProposedSuggestion[]> {
  const outcomes: ProposedSuggestion[] = [];
  for (const one of given) outcomes.push(await proposeOne(tidy, principal, one));
  return outcomes;
}

/** Only refusals of the proposal itself are its outcome: all else fails the call, after which known ones are not stored again. */
async function proposeOne(tidy: Tidy, principal: Principal, given: unknown): Promise<ProposedSuggestion> {
  try {
    const { input } = readProposal(given as Record<string, unknown>);
    return { suggestion: await tidy.propose(principal, input), error: null };
  } catch (error) {
    const { code, message } = refusalOf(error);
    return { suggestion: null, error: { code, message: message.replace(OWN_PATH, '') } };
  }
}

function workText({ data, suggestions, read, nextCursor }: TidyWork, mark: string): string {
  const clusters = data.map(
    ({ memories }, index) => `Cluster ${index + 1}\n${memories.map(tidyMemoryText).join('\n')}`,
  );
  const known = suggestions.length === 0 ? [] : [`Suggested already\n${suggestions.map(suggestionText).join('\n')}`];
  const found =
    clusters.length === 0
      ? `None of these ${read} memories is like another.`
      : fence([...clusters, ...known].join('\n\n'), mark);
  const next =
    nextCursor === null ? 'That was the last portion.' : `There are more: call again with cursor ${nextCursor}`;
  return `${found}\n${next}`;
}

function tidyMemoryText({ id, project, at, author, content, isCut }: TidyMemory): string {
  const by = author === null ? [] : [`by ${author}`];
  const facts = [
    at,
    ...by,
    ...(project === null ? [] : [`project ${factOf(project)}`]),
    ...(isCut ? ['only its beginning'] : []),
  ];
  return `${oneLine(`[${id}] (${facts.join('; ')})`)}\n${quoted(content)}`;
}

function suggestionText({ id, kind, memoryIds, content, reason }: Suggestion): string {
  const text = content === null ? reason : `${content}\n${reason}`;
  return `[${id}] (${kind} ${memoryIds.join(' ')})\n${quoted(text)}`;
}

function proposedText({ data }: ProposedSuggestions, mark: string): string {
  const lines = data.map(({ suggestion, error }, index) => {
    const what = error === null ? storedText(suggestion!) : `refused: ${error.code}: ${error.message}`;
    return oneLine(`${index + 1}. ${what}`);
  });
  return fence(lines.join('\n'), mark);
}

function storedText({ id, state, duplicate }: NonNullable<ProposedSuggestion['suggestion']>): string {
  return duplicate ? `known before, ${state}: ${id}` : `stored, waits for a decision: ${id}`;
}
