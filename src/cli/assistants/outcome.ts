import type { Output } from '../output.ts';
import type { Assistant, Scope } from './assistant.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { ChangePlan } from './plan-change.ts';

/** One assistant on its way through the command: planned, then written, passed over or refused. */
export interface Outcome {
  assistant: Assistant;
  scope: Scope;
  plan?: ChangePlan;
  /** Set once the plan is carried out. */
  done?: { backup?: string };
  /** Why the assistant gets no such entry; no failure where nobody named it. */
  skipped?: string;
  /** Why its file is left alone. */
  fault?: string;
}

/** A path, or a text with paths in it, with the home folder as `~`. */
export function tildify(text: string, home: string): string {
  return home === '' || home === '/' ? text : text.replaceAll(home, '~');
}

/** What a plan would do, for a list of choices. */
export function describePlan({ action, path, after, created }: ChangePlan, home: string): string {
  const file = tildify(path, home);
  if (action === 'remove')
    return after === undefined ? `remove ${file}, which holds nothing else` : `remove from ${file}`;
  if (action === 'add') return created ? `make ${file}` : `add to ${file}`;
  return `change in ${file}`;
}

const DID = { add: 'added to', change: 'changed in', remove: 'removed from', none: '' };

/** Tells a person what became of one assistant: one line on standard output, or on standard error where it failed. */
export function printOutcome(outcome: Outcome, output: Output, home: string): void {
  const { assistant, fault, skipped } = outcome;
  if (fault !== undefined) output.warn(`${assistant.title}: ${tildify(fault, home)}`);
  else if (skipped !== undefined) output.note(`- ${skipped}`);
  else output.line(describeResult(outcome, output, home));
}

function describeResult({ assistant, plan, done }: Outcome, { style }: Output, home: string): string {
  const file = tildify(plan!.path, home);
  if (!plan!.changed)
    return `${style.dim('·')} ${assistant.title}: ${plan!.present ? 'set up already in' : 'no entry of svc in'} ${file}`;
  const backup = done?.backup === undefined ? '' : style.dim(` (before: ${tildify(done.backup, home)})`);
  return `${style.good('✓')} ${assistant.title}: ${DID[plan!.action]} ${file}${backup}`;
}

/** The same for programs. No text of a file is in it: files hold other people's secrets. */
export function outcomeToJson({ assistant, scope, plan, done, skipped, fault }: Outcome): Record<string, unknown> {
  const failure = fault === undefined ? {} : { error: maskSecrets(fault) };
  const state = fault !== undefined ? 'failed' : skipped !== undefined ? 'skipped' : plan?.action;
  return {
    client: assistant.id,
    scope,
    ...(plan && { path: plan.path }),
    action: state,
    written: done !== undefined && plan?.changed === true,
    ...(done?.backup !== undefined && { backup: done.backup }),
    ...(skipped !== undefined && { reason: skipped }),
    ...failure,
  };
}
