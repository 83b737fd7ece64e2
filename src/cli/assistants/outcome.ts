import type { Output } from '../output.ts';
import type { Assistant, Scope } from './assistant.ts';
import { maskSecrets } from './key-text.ts';
import type { ChangePlan } from './plan-change.ts';

/** One client on its way through the command: planned, then written, passed over or refused. */
export interface Outcome {
  client: Assistant;
  scope: Scope;
  plan?: ChangePlan;
  /** Set once the plan is carried out. */
  done?: { backup?: string };
  /** Why the client gets no such entry; no failure where nobody named it. */
  skipped?: string;
  /** Why its file is left alone. */
  fault?: string;
}

/** A path, or a text with paths in it, with the home folder as `~`. */
export function shortPath(text: string, home: string): string {
  return home === '' || home === '/' ? text : text.replaceAll(home, '~');
}

/** What a plan would do, for a list of choices. */
export function willDo({ action, path, after, created }: ChangePlan, home: string): string {
  const file = shortPath(path, home);
  if (action === 'remove')
    return after === undefined ? `remove ${file}, which holds nothing else` : `remove from ${file}`;
  if (action === 'add') return created ? `make ${file}` : `add to ${file}`;
  return `change in ${file}`;
}

const DID = { add: 'added to', change: 'changed in', remove: 'removed from', none: '' };

/** Tells a person what became of one client: one line on standard output, or on standard error where it failed. */
export function tellOutcome(outcome: Outcome, output: Output, home: string): void {
  const { client, fault, skipped } = outcome;
  if (fault !== undefined) output.warn(`${client.title}: ${shortPath(fault, home)}`);
  else if (skipped !== undefined) output.note(`- ${skipped}`);
  else output.line(sayDone(outcome, output, home));
}

function sayDone({ client, plan, done }: Outcome, { style }: Output, home: string): string {
  const file = shortPath(plan!.path, home);
  if (!plan!.changed)
    return `${style.dim('·')} ${client.title}: ${plan!.present ? 'set up already in' : 'no entry of svc in'} ${file}`;
  const backup = done?.backup === undefined ? '' : style.dim(` (before: ${shortPath(done.backup, home)})`);
  return `${style.good('✓')} ${client.title}: ${DID[plan!.action]} ${file}${backup}`;
}

/** The same for programs. No text of a file is in it: files hold other people's secrets. */
export function outcomeData({ client, scope, plan, done, skipped, fault }: Outcome): Record<string, unknown> {
  const failure = fault === undefined ? {} : { error: maskSecrets(fault) };
  const state = fault !== undefined ? 'failed' : skipped !== undefined ? 'skipped' : plan?.action;
  return {
    client: client.id,
    scope,
    ...(plan && { path: plan.path }),
    action: state,
    written: done !== undefined && plan?.changed === true,
    ...(done?.backup !== undefined && { backup: done.backup }),
    ...(skipped !== undefined && { reason: skipped }),
    ...failure,
  };
}
