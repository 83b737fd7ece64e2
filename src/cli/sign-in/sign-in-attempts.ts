import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Account } from '../../contract/account.ts';
import type { Random } from '../../lib/random.ts';
import { codeChallengeOf, mintToken } from '../../lib/secret.ts';

/** The result of a completed sign-in. */
export interface SignedIn {
  apiKey: string;
  account: Account;
}

/** The links requested by one sign-in, each with the verifier required to redeem its code. */
export interface Attempts {
  /** Requests a link with a new verifier; `expiresAt` is by the daemon's clock. */
  send(redirectPort: number | undefined): Promise<{ expiresAt: string }>;
  /** The state values that identify these links' pages. */
  challenges(): string[];
  /**
   * Redeems a code for the link with this challenge, or for any link, newest first: an earlier mail may arrive after a
   * new link was requested. If the code is wrong, returns how many tries are left; throws any other failure.
   */
  redeem(code: string, challenge?: string): Promise<{ signedIn: SignedIn } | { triesLeft: number }>;
}

interface Attempt {
  verifier: string;
  challenge: string;
  triesLeft: number;
}

const MAX_TRIES = 5;

export function createAttempts(options: {
  client: Pick<Client, 'auth'>;
  random: Random;
  email: string;
  device: string;
}): Attempts {
  const { client, random, email, device } = options;
  const attempts: Attempt[] = [];
  return {
    async send(redirectPort) {
      const verifier = mintToken(random);
      const attempt = { verifier, challenge: codeChallengeOf(verifier), triesLeft: MAX_TRIES };
      const login = { codeChallenge: attempt.challenge, device, ...(redirectPort && { redirectPort }) };
      const answer = await client.auth.requestLink({ email, login });
      attempts.unshift(attempt);
      return answer;
    },
    challenges: () => attempts.map(({ challenge }) => challenge),
    async redeem(code, challenge) {
      const open = attempts.filter((attempt) => attempt.triesLeft > 0);
      for (const attempt of open.filter((one) => challenge === undefined || one.challenge === challenge)) {
        const signedIn = await redeemWith(client, attempt, code);
        if (signedIn) return { signedIn };
      }
      return { triesLeft: Math.max(0, ...attempts.map(({ triesLeft }) => triesLeft)) };
    },
  };
}

async function redeemWith({ auth }: Pick<Client, 'auth'>, attempt: Attempt, code: string) {
  try {
    return await auth.redeemCode({ code, codeVerifier: attempt.verifier });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'gone') attempt.triesLeft = 0;
    else if (error.code === 'invalid_request') attempt.triesLeft -= 1;
    else throw error;
    return undefined;
  }
}
