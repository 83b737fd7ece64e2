/**
 * Why a keychain call failed: no keychain exists or is reachable (`absent`), it is `locked` and nobody can be prompted
 * to unlock it, somebody declined (`refused`), it did not respond in time (`silent`), or anything else (`broken`).
 */
export type KeychainFault = 'absent' | 'locked' | 'refused' | 'silent' | 'broken';

/** A failed keychain call. The message is svc's own, never the platform's, so it contains no secrets. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError';
  readonly fault: KeychainFault;

  constructor(fault: KeychainFault) {
    super(MESSAGES[fault]);
    this.fault = fault;
  }
}

const MESSAGES: Record<KeychainFault, string> = {
  absent: 'No keychain is available.',
  locked: 'The keychain is locked and cannot be unlocked from here.',
  refused: 'Access to the keychain was refused.',
  silent: 'The keychain did not respond in time; it may be waiting to be unlocked.',
  broken: 'The keychain does not work.',
};

/** Platforms report reasons as text only. The first match wins: the most specific patterns come first. */
const PATTERNS: [KeychainFault, RegExp][] = [
  ['locked', /is ?locked|interaction (is )?not allowed|no interaction/i],
  ['refused', /dismissed|cancell?ed|denied|auth\w* fail|passphrase you entered|not permitted/i],
  ['absent', /d-?bus|secret service|no result found|cannot find (module|native)|could not be found|logon session/i],
];

/**
 * Classifies the platform's message. A dismissed prompt means that a person declined if there is a display to prompt
 * on, and a locked keyring otherwise.
 */
export function keychainFault(reason: string, canPrompt: boolean): KeychainFault {
  if (!canPrompt && /prompt was dismissed/i.test(reason)) return 'locked';
  return PATTERNS.find(([, pattern]) => pattern.test(reason))?.[0] ?? 'broken';
}
