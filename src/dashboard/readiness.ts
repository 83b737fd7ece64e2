/** The state of the daemon, as far as the page knows. */
export type DaemonState =
  | { kind: 'well' }
  /** It works, but needs the operator. */
  | { kind: 'warned'; reason: string }
  /** It can be read and searched, and refuses every change. */
  | { kind: 'readOnly'; reason: string }
  | { kind: 'unreachable' };

export const WELL: DaemonState = { kind: 'well' };
export const UNREACHABLE: DaemonState = { kind: 'unreachable' };
export const DISK_FULL: DaemonState = { kind: 'readOnly', reason: 'its disk is full' };

/** The report of `/readyz` for a disk without a whole MiB left. */
const NOTHING_FREE = '0 MiB free';

/**
 * Judges an answer of `/readyz`. `wasFull` says that a change was refused because the disk is full: only then does an empty
 * disk mean that nothing can be stored.
 */
export function judgeReadiness({
  status,
  body,
  wasFull,
}: {
  status: number;
  body: unknown;
  wasFull: boolean;
}): DaemonState {
  const checks = (body as { checks?: Record<string, string> } | undefined)?.checks;
  // A proxy may answer in place of the daemon.
  if (!checks) return status === 502 || status === 503 || status === 504 ? UNREACHABLE : WELL;
  const { backup } = body as { backup?: string };
  const { accepting = 'ok', database = 'ok', disk = 'ok', clock = 'ok' } = checks;
  if (disk === NOTHING_FREE && (wasFull || database !== 'ok')) return DISK_FULL;
  if (database !== 'ok') return { kind: 'readOnly', reason: 'its database cannot be written' };
  if (accepting !== 'ok') return { kind: 'readOnly', reason: 'it is stopping' };
  if (disk !== 'ok') return { kind: 'warned', reason: 'its disk is almost full' };
  if (clock !== 'ok') return { kind: 'warned', reason: 'its clock is wrong' };
  return backup === 'failing' ? { kind: 'warned', reason: 'it cannot make backups' } : WELL;
}

/** Describes a state to the user of the page; undefined if all is well. */
export function describeState(state: DaemonState): { title: string; text: string } | undefined {
  switch (state.kind) {
    case 'well':
      return undefined;
    case 'warned':
      return {
        title: `svc needs attention: ${state.reason}.`,
        text: 'Everything works for now. Tell the operator.',
      };
    case 'readOnly':
      return {
        title: `svc cannot store anything: ${state.reason}.`,
        text: 'You can read and search. Changes are refused until it can store again; what was not confirmed was not stored.',
      };
    case 'unreachable':
      return {
        title: 'svc does not respond.',
        text: 'What you see may be out of date, and changes are not stored. The page tries again every few seconds.',
      };
  }
}

/** Describes why a change was not sent. */
export function describeRefusal(reason: string): string {
  return `Nothing was changed: svc cannot store anything, because ${reason}.`;
}
