import { OWN_SPACE } from '../contract/space-names.ts';

/** A space, in the form stored on this machine. */
export interface KnownSpace {
  id: string;
  /** As it was when the space was chosen. */
  name: string;
}

/** The space in which a command acts. */
export interface ActingSpace {
  /** How requests name it: its id, or what the user typed, which the daemon resolves. */
  key: string;
  name: string;
}

/**
 * Returns the space of `--space`, otherwise of `SVC_SPACE`, otherwise the one that `svc space use` stored; `undefined`
 * for the own account, which is named `default`.
 */
export function actingSpace(
  requested: string | undefined,
  variable: string | undefined,
  used: KnownSpace | undefined,
): ActingSpace | undefined {
  const typed = requested ?? variable;
  if (typed === undefined) return used && { key: used.id, name: used.name };
  return typed === OWN_SPACE ? undefined : { key: typed, name: typed };
}
