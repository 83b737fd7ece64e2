/**
 * Why a keychain does not do what is asked: there is `absent` none on this machine (or none that can be reached from
 * here), it is `locked` and nobody can be asked to open it, somebody `refused`, it gave no answer in time (`silent`), or
 * it is `broken` in some other way.
 */
export type KeychainFault = 'absent' | 'locked' | 'refused' | 'silent' | 'broken';

/** A keychain that did not do what was asked. The message is ours, never the platform's: it can hold no secret. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError';
  readonly fault: KeychainFault;

  constructor(fault: KeychainFault) {
    super(MESSAGES[fault]);
    this.fault = fault;
  }
}

const MESSAGES: Record<KeychainFault, string> = {
  absent: 'There is no keychain at hand.',
  locked: 'The keychain is locked, and cannot be unlocked from here.',
  refused: 'Access to the keychain was refused.',
  silent: 'The keychain gave no answer in time; it may be waiting to be unlocked.',
  broken: 'The keychain does not work.',
};

/** The platforms tell their reasons as text only. Read from top to bottom: the more certain words come first. */
const PATTERNS: [KeychainFault, RegExp][] = [
  ['locked', /is ?locked|interaction (is )?not allowed|no interaction/i],
  ['refused', /dismissed|cancell?ed|denied|auth\w* fail|passphrase you entered|not permitted/i],
  ['absent', /d-?bus|secret service|no result found|cannot find (module|native)|could not be found|logon session/i],
];

/**
 * Reads the platform's words. A prompt that was "dismissed" is a person's refusal where there is a screen to show one
 * on, and a keyring that stays locked where there is none.
 */
export function keychainFault(reason: string, canPrompt: boolean): KeychainFault {
  if (!canPrompt && /prompt was dismissed/i.test(reason)) return 'locked';
  return PATTERNS.find(([, pattern]) => pattern.test(reason))?.[0] ?? 'broken';
}
