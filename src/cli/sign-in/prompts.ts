import type { SignInRun } from './sign-in-run.ts';

/** What a sign-in is about, for whoever shows it. */
export interface SignInTarget {
  email: string;
  url: string;
}

/** How a sign-in speaks with a person, or with the program that stands in for one. */
export interface SignInPrompts {
  /** The address; `remembered` is taken by an empty answer. */
  askEmail(remembered: string | undefined): Promise<string>;
  /** A name for the profile; an empty answer takes the proposed one. */
  askProfile(proposed: string, reason: string): Promise<string>;
  /** Yes or no; `otherwise` where nobody can be asked, and for an empty answer. */
  confirm(question: string, otherwise: boolean): Promise<boolean>;
  /** Shows the run and feeds it what is typed, until the returned function is called. */
  follow(run: SignInRun, about: SignInTarget): () => void;
}

/** What an address must look like to be worth sending; the daemon knows better and decides. */
export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}

/** Whether a typed line asks for another link; no code is that short. */
export function isResendCommand(typed: string): boolean {
  return /^r(esend)?$/i.test(typed.trim());
}
