import { type Static, Type } from 'typebox';
import { Name, Nullable, Page, PageQuery, strict } from './common.ts';
import { JOB_KINDS, JOB_STATES } from './job-states.ts';
import { Project } from './project.ts';
import { UsedTokens } from './provider-settings.ts';
import { ModelName, ProviderName } from './providers.ts';

export { JOB_KINDS, JOB_STATES, type JobKind, type JobState } from './job-states.ts';

export const NewExtraction = Type.Object(
  {
    provider: Type.Optional(ProviderName),
    model: Type.Optional(ModelName),
    dryRun: Type.Optional(Type.Boolean({ description: 'Show the decisions without storing anything' })),
    again: Type.Optional(Type.Boolean({ description: 'Also read messages that were already processed' })),
  },
  strict,
);
export type NewExtraction = Static<typeof NewExtraction>;

export const JobAccepted = Type.Object({ jobId: Type.String() });
export type JobAccepted = Static<typeof JobAccepted>;

/** The outcome for an extracted memory: it was added, updated or superseded a known one, or was ignored. */
export const DECISIONS = ['add', 'update', 'supersede', 'nothing'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

export const Decision = Type.Object({
  decision: Type.Enum([...DECISIONS]),
  content: Type.String({
    description:
      'Empty for what is known already, if the memory had no room in its metadata to name the job, and once the memory or one of its source messages was erased',
  }),
  messageIds: Type.Array(Type.String(), { description: 'Source messages, 20 at most' }),
  memoryId: Nullable(Type.String({ description: 'The memory that was stored, or already existed; null if none' })),
  targetId: Nullable(Type.String({ description: 'The memory that it updates or supersedes' })),
  reason: Type.String(),
});
export type Decision = Static<typeof Decision>;

export const ExtractionResult = Type.Object({
  added: Type.Integer(),
  updated: Type.Integer(),
  superseded: Type.Integer(),
  nothing: Type.Integer(),
  decisions: Type.Array(Decision, { description: 'The first 1,000; empty in a list of jobs' }),
});
export type ExtractionResult = Static<typeof ExtractionResult>;

/** What became of the suggestions that a model proposed. */
export const TidyResult = Type.Object({
  suggested: Type.Integer({ description: 'Suggestions that wait for a decision' }),
  known: Type.Integer({ description: 'Suggested before, by anyone' }),
  refused: Type.Integer({ description: 'Proposals that say what no memory says, or that are about none' }),
});
export type TidyResult = Static<typeof TidyResult>;

export const NewTidy = Type.Object(
  {
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    provider: Type.Optional(ProviderName),
    model: Type.Optional(ModelName),
  },
  strict,
);
export type NewTidy = Static<typeof NewTidy>;

export const JobKindName = Type.Enum([...JOB_KINDS]);
export const JobStateName = Type.Enum([...JOB_STATES]);

export const Job = Type.Object({
  id: Type.String(),
  kind: JobKindName,
  state: JobStateName,
  conversationId: Nullable(Type.String({ description: 'Null unless the kind is `extract`' })),
  user: Nullable(Type.String({ description: 'Whose memories are tidied; null unless the kind is `tidy`' })),
  project: Nullable(Type.String({ description: 'Of `tidy`: only its memories and those of no project' })),
  provider: Nullable(ProviderName),
  model: Nullable(Type.String()),
  dryRun: Type.Boolean(),
  progress: Type.Object(
    { done: Type.Integer(), total: Type.Integer() },
    { description: 'Messages, or memories of `tidy`' },
  ),
  attempts: Type.Integer({ description: 'Consecutive failures' }),
  error: Nullable(
    Type.Object({ code: Type.String(), message: Type.String(), at: Type.String({ format: 'date-time' }) }),
  ),
  nextAttemptAt: Nullable(Type.String({ format: 'date-time' })),
  used: UsedTokens,
  result: Nullable(ExtractionResult),
  tidied: Nullable(TidyResult),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  finishedAt: Nullable(Type.String({ format: 'date-time' })),
});
export type Job = Static<typeof Job>;

export const JobPage = Page(Job);
export const JobsQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(JobStateName),
    conversationId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  strict,
);
export type JobsQuery = Static<typeof JobsQuery>;
