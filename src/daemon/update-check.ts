import type { Dispatcher } from 'undici';
import { MAX_JSON } from '../contract/storable.ts';
import type { Clock } from '../lib/clock.ts';
import { isNewer } from '../lib/versions.ts';
import { boundedFetch, loadUndici } from '../outside/bounded-fetch.ts';
import { parseJson } from '../outside/parse-json.ts';

const DAY_MS = 24 * 3_600_000;
const LIMITS = { firstMs: 10_000, idleMs: 10_000, wholeMs: 20_000, maxBytes: 1024 * 1024, json: MAX_JSON };

/** The daemon's log. */
interface UpdateLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

interface Dependencies {
  /** JSON with `version`, as npm's registry has it, or `tag_name`, as GitHub's releases do. */
  url: string;
  /** The version that runs. */
  version: string;
  clock: Clock;
  log: UpdateLog;
}

/** Checks for a newer version once a day. */
export interface UpdateCheck {
  /** Checks if a day has passed. Call it every few minutes. Never throws: failures are in the debug log. */
  follow(): Promise<void>;
  /** The newer version; `undefined` if none is known. */
  available(): string | undefined;
}

/** The request contains nothing about this installation, not even its version. */
export function createUpdateCheck({ url, version, clock, log }: Dependencies): UpdateCheck {
  let dispatcher: Dispatcher | undefined;
  const open = async () => {
    dispatcher ??= new (await loadUndici()).EnvHttpProxyAgent();
    return dispatcher;
  };
  const fetch = boundedFetch(open, LIMITS);
  let askedMs = Number.NEGATIVE_INFINITY;
  let available: string | undefined;
  return {
    async follow() {
      if (clock.monotonicMs() - askedMs < DAY_MS) return;
      askedMs = clock.monotonicMs();
      try {
        const response = await fetch(url, { headers: { accept: 'application/json', 'user-agent': 'svc' } });
        const latest = versionIn(await response.text());
        if (!response.ok || latest === undefined) throw new Error(`no version in the answer (${response.status})`);
        if (isNewer(latest, version) && latest !== available)
          log.info({ latest }, 'a newer version of svc is available');
        available = isNewer(latest, version) ? latest : undefined;
      } catch (error) {
        log.debug({ error }, 'update check failed');
      }
    },
    available: () => available,
  };
}

function versionIn(text: string): string | undefined {
  const { version, tag_name: tag } = Object(parseJson(text)) as { version?: unknown; tag_name?: unknown };
  const [, found] = /^v?(\d+\.\d+\.\d+)$/.exec(String(version ?? tag)) ?? [];
  return found;
}
