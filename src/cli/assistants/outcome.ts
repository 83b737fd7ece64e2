import type { Output } from '../output.ts';
import type { Assistant, Scope } from './assistant.ts';
import type { Extra } from './extra.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { ChangePlan } from './plan-change.ts';

/** The outcome for one assistant: planned, then applied, skipped or failed. */
export interface Outcome {
  assistant: Assistant;
  scope: Scope;
  part: 'server' | Extra['part'];
  /** The option that would have asked for it: done only if the user chooses it in the checklist. */
  offered?: Extra['option'];
  plan?: ChangePlan;
  /** Set once the plan has been applied. */
  applied?: { backup?: string };
  /** Why the assistant does not support the requested entry. Not an error unless the assistant was named. */
  skipped?: string;
  /** Why its file could not be changed. */
  error?: string;
}

/** Abbreviates the home folder to `~` in a path or a text that contains paths. */
export function tildify(text: string, home: string): string {
  return home === '' || home === '/' ? text : text.replaceAll(home, '~');
}

/** Describes what a plan would do, for the checklist. */
export function describePlan({ part, plan }: Outcome & { plan: ChangePlan }, home: string): string {
  const { action, path, after, created } = plan;
  const file = tildify(path, home);
  if (part !== 'server') return `${EXTRA_VERBS[action].join(` ${part} `)} ${file}`;
  if (action === 'remove')
    return after === undefined ? `delete ${file}, which contains nothing else` : `remove from ${file}`;
  if (action === 'add') return created ? `create ${file}` : `add to ${file}`;
  return `update ${file}`;
}

const EXTRA_VERBS = { add: ['add', 'to'], change: ['update', 'in'], remove: ['remove', 'from'], none: ['', ''] };
const PAST_TENSE = { add: 'added to', change: 'updated in', remove: 'removed from', none: '' };

/** Prints an outcome as one line, on standard output or, if it failed or was skipped, on standard error. */
export function printOutcome(outcome: Outcome, output: Output, home: string): void {
  const { assistant, error, skipped } = outcome;
  if (error !== undefined) output.warn(`${assistant.title}: ${tildify(error, home)}`);
  else if (skipped !== undefined) output.note(`- ${skipped}`);
  else output.line(describeResult(outcome, output, home));
}

function describeResult({ assistant, part, plan, applied }: Outcome, { style }: Output, home: string): string {
  const file = tildify(plan!.path, home);
  const [what, present, absent] =
    part === 'server' ? ['', 'already set up', 'no svc entry'] : [`${part} `, `${part} already`, `no ${part}`];
  if (!plan!.changed) return `${style.dim('·')} ${assistant.title}: ${plan!.present ? present : absent} in ${file}`;
  const backup = applied?.backup === undefined ? '' : style.dim(` (backup: ${tildify(applied.backup, home)})`);
  return `${style.good('✓')} ${assistant.title}: ${what}${PAST_TENSE[plan!.action]} ${file}${backup}`;
}

/** Converts an outcome to JSON, without any text of the file, which may contain other secrets. */
export function outcomeToJson({
  assistant,
  scope,
  part,
  plan,
  applied,
  skipped,
  error,
}: Outcome): Record<string, unknown> {
  const failure = error === undefined ? {} : { error: maskSecrets(error) };
  const action = error !== undefined ? 'failed' : skipped !== undefined ? 'skipped' : plan?.action;
  return {
    client: assistant.id,
    scope,
    part,
    ...(plan && { path: plan.path }),
    action,
    written: applied !== undefined && plan?.changed === true,
    ...(applied?.backup !== undefined && { backup: applied.backup }),
    ...(skipped !== undefined && { reason: skipped }),
    ...failure,
  };
}
