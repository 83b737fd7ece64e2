import type { StoredPortion } from '../../contract/extraction-portions.ts';
import type { Decision, ExtractionResult } from '../../contract/jobs.ts';
import { MAX_TAGS, type NewMemory } from '../../contract/memories.ts';
import type { Connection } from '../../db/connection.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { MeteredTenant } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import { onlyAuthorOf } from '../memories/only-author.ts';
import { unlessDuplicate } from '../memories/unless-duplicate.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import { KNOWN, type Proposal } from './proposals.ts';

/** Who extracts memories. */
export interface Extractor {
  /** The program that asked for it, and the address of the member of a space. */
  client: string | null;
  author: string | null;
  isDryRun: boolean;
  /** What the metadata of memories says of the model. */
  source: Record<string, string>;
}

/** The account, user, project and conversation of the memories, and who extracts them. */
export interface ApplyContext {
  tenant: MeteredTenant;
  endUser: string;
  project: string | null;
  conversationId: string;
  extractor: Extractor;
  terms: PreparedTerms;
}

const EXTRACTED = { origin: 'extraction' } as const;
const MAX_DECISIONS = 1000;
const MAX_MESSAGE_IDS = 20;

/**
 * Applies proposals in the caller's transaction and returns what was done. If a known memory was changed or removed
 * since the model saw it, it is left alone and the extracted memory is added beside it. Throws `quota_exceeded`
 * and `TermsMissing`.
 */
export async function applyProposals(
  connection: Connection,
  memories: Memories,
  proposals: readonly Proposal[],
  context: ApplyContext,
): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (const proposal of proposals) decisions.push(await applyOne(connection, memories, proposal, context));
  return decisions;
}

async function applyOne(
  connection: Connection,
  memories: Memories,
  proposal: Proposal,
  context: ApplyContext,
): Promise<Decision> {
  const { decision, target } = proposal;
  if (decision === 'nothing' || context.extractor.isDryRun) return toDecision(proposal, null);
  const { tenantId } = context.tenant;
  const { client } = context.extractor;
  // In a space, what a member said stays that member's, whoever extracts it.
  const author = onlyAuthorOf(proposal.cited) ?? context.extractor.author;
  const adder = { ...context.tenant, client: client ?? undefined, author: author ?? undefined };
  // A memory that another program keeps, such as a file, would say something else there or be gone.
  const isOwn = target?.externalId === null;
  const mayChange = isOwn && (context.project === null || context.project === target.project);
  // What was said without an end would end with a memory that expires.
  const mayExtend = mayChange && target.expiresAt === null;
  if (decision === 'update' && mayExtend && (await isUnchanged(connection, memories, tenantId, target))) {
    const tags = target.tags.length + proposal.tags.length > MAX_TAGS ? {} : { addTags: proposal.tags };
    const change = {
      content: proposal.content,
      ...tags,
      ...(proposal.occurredAt !== undefined && { occurredAt: proposal.occurredAt }),
      ...EXTRACTED,
      ...withSources(target.metadata, proposal, context),
      saidAtMs: proposal.cited.at(-1)?.createdAt ?? null,
    };
    const changed = await unlessDuplicate(memories.changeWithin(connection, adder, target.id, change, context.terms));
    if (changed === undefined) return toDecision({ ...proposal, ...ALREADY_KNOWN }, null);
    return toDecision(change.metadata === undefined ? { ...proposal, ...NO_TEXT } : proposal, changed.id);
  }
  const supersedes =
    decision === 'supersede' && mayChange && (await isUnchanged(connection, memories, tenantId, target))
      ? target.id
      : undefined;
  const memory = newMemory(proposal, context, supersedes);
  const [added] = await memories.addWithin(connection, adder, [memory], context.terms);
  if (added!.duplicate && supersedes === undefined) return toDecision({ ...proposal, ...ALREADY_KNOWN }, added!.id);
  const text = added!.duplicate ? NO_TEXT : {};
  return toDecision({ ...proposal, ...text, decision: supersedes === undefined ? 'add' : 'supersede' }, added!.id);
}

const ALREADY_KNOWN = { decision: 'nothing', reason: KNOWN } as const;
/** For what is stored in a memory whose metadata does not name the job: its text would survive its erasure there. */
const NO_TEXT = { content: '', reason: '' } as const;

async function isUnchanged(
  connection: Connection,
  memories: Memories,
  tenantId: string,
  { id, version }: { id: string; version: number },
): Promise<boolean> {
  const now = await memories.findWithin(connection, tenantId, id);
  return now !== undefined && now.version === version && now.validTo === null;
}

function newMemory(proposal: Proposal, context: ApplyContext, supersedes: string | undefined): NewMemory {
  const { content, tags, cited, occurredAt } = proposal;
  return {
    content,
    tags,
    ...EXTRACTED,
    user: context.endUser,
    ...(context.project !== null && { project: context.project }),
    occurredAt: occurredAt ?? toTimestamp(cited.at(-1)!.createdAt),
    source: { conversationId: context.conversationId, messageId: cited[0]!.id },
    ...withSources({}, proposal, context),
    ...(supersedes !== undefined && { supersedes }),
  };
}

/** Adds the model and the cited messages to the metadata, if there is room for them. */
function withSources(
  metadata: Record<string, unknown>,
  { cited }: Proposal,
  { conversationId, extractor: { source } }: ApplyContext,
): { metadata?: Record<string, unknown> } {
  const messageIds = cited.map(({ id }) => id).slice(0, MAX_MESSAGE_IDS);
  const extraction = { ...source, conversationId, messageIds };
  const parsed = { ...metadata, extraction };
  const fits = Object.keys(parsed).length <= 64 && Buffer.byteLength(JSON.stringify(parsed)) <= 8000;
  return fits ? { metadata: parsed } : {};
}

function toDecision({ decision, content, cited, target, reason }: Proposal, memoryId: string | null): Decision {
  // The words of a memory would survive its erasure where it was not extracted.
  const isKnown = decision === 'nothing' && (target !== undefined || reason === KNOWN);
  // So would those of one that it was stored beside, in the model's reason.
  const isBeside = decision !== 'nothing' && memoryId !== null && target !== undefined && memoryId !== target.id;
  const messageIds = cited.map(({ id }) => id).slice(0, MAX_MESSAGE_IDS);
  return {
    decision,
    content: isKnown ? '' : content,
    messageIds,
    memoryId,
    targetId: target?.id ?? null,
    reason: isBeside ? '' : reason,
  };
}

/** Returns the job that extracted a memory, from the metadata of one of its versions; empty if no job did. */
export function extractionJobOf(metadata: string): string[] {
  const { extraction } = JSON.parse(metadata) as { extraction?: { jobId?: unknown } | null };
  return typeof extraction?.jobId === 'string' ? [extraction.jobId] : [];
}

/** Whether a decision cites one of some messages of its conversation. A full list of messages may have left it out. */
export function citesAny({ messageIds }: Decision, ids: ReadonlySet<string>): boolean {
  return messageIds.length === MAX_MESSAGE_IDS || messageIds.some((id) => ids.has(id));
}

/** Removes the text of matching decisions from a job's result, so that erased content does not survive there. */
export function redactDecisions(result: string, isErased: (decision: Decision) => boolean): string {
  const parsed = JSON.parse(result) as ExtractionResult;
  const decisions = parsed.decisions.map((one) => (isErased(one) ? { ...one, content: '', reason: '' } : one));
  return JSON.stringify({ ...parsed, decisions });
}

/** Adds further decisions to a job's result. */
export function accumulate(result: ExtractionResult, decisions: readonly Decision[]): ExtractionResult {
  const count = (kind: Decision['decision']) => decisions.filter(({ decision }) => decision === kind).length;
  return {
    added: result.added + count('add'),
    updated: result.updated + count('update'),
    superseded: result.superseded + count('supersede'),
    nothing: result.nothing + count('nothing'),
    decisions: [...result.decisions, ...decisions].slice(0, MAX_DECISIONS),
  };
}

/** Changes what was added to what took the place of an older memory, where it did. */
export function withReplaced(result: ExtractionResult, replaced: StoredPortion['replaced']): ExtractionResult {
  const olderOf = new Map(replaced.flatMap(({ older, newer, error }) => (error === null ? [[newer, older]] : [])));
  const decisions = result.decisions.map((one): Decision => {
    const targetId = one.decision === 'add' ? olderOf.get(one.memoryId ?? '') : undefined;
    return targetId === undefined ? one : { ...one, decision: 'supersede', targetId };
  });
  const [added, superseded] = [result.added - olderOf.size, result.superseded + olderOf.size];
  return { ...result, added, superseded, decisions };
}

export const EMPTY_RESULT: ExtractionResult = { added: 0, updated: 0, superseded: 0, nothing: 0, decisions: [] };
