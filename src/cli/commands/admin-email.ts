import { InvalidArgumentError } from 'commander';
import { normalizeEmail } from '../../features/accounts/email-address.ts';

/** Parses an argument to the normalized address, under which the account is stored. */
export function parseEmail(text: string): string {
  try {
    return normalizeEmail(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
