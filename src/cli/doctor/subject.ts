import type { Fetch } from '../../client/client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Keychain } from '../../outside/keychain/keychain.ts';
import type { CommandFailure } from '../failure.ts';
import type { Session } from '../session.ts';
import type { Environment, Settings } from '../settings.ts';

export interface DoctorDependencies {
  settings: Settings;
  keychain: Keychain;
  environment: Environment;
  clock: Clock;
  fetch: Fetch;
  /** Version of this program. */
  version: string;
  nodeVersion: string;
  /** The path of `bin/svc`. */
  script: string;
  /** `--profile`. */
  profile: string | undefined;
  /** `--data-dir`. */
  dataDir: string | undefined;
  /** `--deep`: the whole database is checked, so that the last check does not matter. */
  deep: boolean;
}

/** Input of the checks: the daemon's address, and the session or why there is none. */
export interface Subject extends DoctorDependencies {
  /** Scheme, host and port of the daemon. */
  url: string;
  session: Session | CommandFailure;
}
