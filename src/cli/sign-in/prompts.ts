import type { SignInRun } from './sign-in-run.ts';

/** The account and daemon to sign in to, for display. */
export interface SignInTarget {
  email: string;
  url: string;
}

/** Asks the user, or the program in their place, for what a sign-in needs. */
export interface SignInPrompts {
  /** Asks for the email address; an empty answer gives `remembered`. */
  askEmail(remembered: string | undefined): Promise<string>;
  /** Asks for a profile name; an empty answer gives `suggested`. */
  askProfile(suggested: string, reason: string): Promise<string>;
  /** Asks yes or no; `defaultAnswer` for an empty answer, or if nobody can be asked. */
  confirm(question: string, defaultAnswer: boolean): Promise<boolean>;
  /** Shows the run and passes typed input to it until the returned function is called. */
  follow(run: SignInRun, target: SignInTarget): () => void;
}

export const INVALID_EMAIL = 'That is not an email address.';

export const SIGN_IN_INSTRUCTIONS =
  'Open it here or on your phone and press “Sign in”. If you open it on this computer, the terminal continues automatically; otherwise, type the code shown on the page.';

/** A cheap plausibility check; the daemon validates the address properly. */
export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}

/** Whether a typed line requests a new link. No code is that short. */
export function isResendCommand(typed: string): boolean {
  return /^r(esend)?$/i.test(typed.trim());
}
