import type { Client } from '../../client/client.ts';
import type { Account } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Random } from '../../lib/random.ts';
import { codeChallengeOf, mintToken } from '../../lib/secret.ts';

/** What a sign-in leads to. */
export interface SignedIn {
  apiKey: string;
  account: Account;
}

/** The links that one sign-in asked for, each with the verifier that alone can redeem its code. */
export interface Attempts {
  /** Asks for a link under a fresh verifier; `expiresAt` is the daemon's. */
  send(redirectPort: number | undefined): Promise<{ expiresAt: string }>;
  /** What the pages of these links prove their origin with. */
  challenges(): string[];
  /**
   * Redeems a code: of the link with this challenge, or of any, the newest first (a mail may come late, after another
   * was asked for). Without success says how many tries are left in all; throws what is no answer to the code.
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
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'gone') attempt.triesLeft = 0;
    else if (error.code === 'invalid_request') attempt.triesLeft -= 1;
    else throw error;
    return undefined;
  }
}
