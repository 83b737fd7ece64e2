import type { Fetch, FetchResponse } from '../../client/client.ts';
import { isLoopbackUrl, isUnencrypted } from '../daemon-url.ts';
import { type Finding, FREE_SPACE } from './finding.ts';
import type { Subject } from './subject.ts';

const TIMEOUT_MS = 5000;
/** The `Date` header has seconds; below this, relative times and `--after` still make sense. */
const LARGEST_OFFSET_MS = 60_000;

/** Checks that the daemon responds and is ready, that its version fits, and that both clocks agree. */
export async function checkDaemon({ url, fetch, clock, version, deep, environment }: Subject): Promise<Finding[]> {
  const check = 'Daemon';
  const beganMs = clock.monotonicMs();
  const response = await get(fetch, `${url}/readyz`);
  const tookMs = Math.round(clock.monotonicMs() - beganMs);
  if (!response) {
    const fix = isLoopbackUrl(url) ? 'svc serve' : `svc serve on its machine, or svc login --url with another address`;
    return [{ check, state: 'problem', message: `nothing responds at ${url}`, fix }];
  }
  const date = Date.parse(response.headers.get('date') ?? '');
  const state = parse(await response.text().catch(() => ''));
  if (response.status !== 200) {
    const message = `${url} is not ready (${response.status})${typeof state.detail === 'string' ? `: ${state.detail}` : ''}`;
    const { disk = 'ok' } = Object(state.checks) as { disk?: unknown };
    const look = deep ? "the daemon's log says more" : "svc doctor --deep on its machine; the daemon's log says more";
    return [{ check, state: 'problem', message, fix: disk === 'ok' ? look : FREE_SPACE }];
  }
  if (state.status !== 'ready') {
    return [{ check, state: 'problem', message: `${url} is not an svc daemon`, fix: 'svc login --url ADDRESS' }];
  }
  return [
    isUnencrypted(url)
      ? {
          check,
          state: 'warning',
          message: `${url} responded, but the key crosses the network unencrypted`,
          fix: `svc login --url ${url.replace('http:', 'https:')}, once a proxy there terminates TLS`,
        }
      : { check, state: 'ok', message: `${url} responded in ${tookMs} ms` },
    checkVersion(await daemonVersion(fetch, url), version),
    ...(state.backup === 'failing' ? [FAILING_BACKUP] : []),
    ...(Number.isNaN(date) ? [] : [checkClock(clock.nowMs() - date, environment.platform)]),
  ];
}

const FAILING_BACKUP: Finding = {
  check: 'Backup',
  state: 'warning',
  message: 'the scheduled backup fails',
  fix: "svc backup on the daemon's machine shows why",
};

/** What `/readyz` says; `undefined` if nothing responds. */
export async function readyState(fetch: Fetch, url: string): Promise<Record<string, unknown> | undefined> {
  const response = await get(fetch, `${url}/readyz`);
  return response && parse(await response.text().catch(() => ''));
}

async function get(fetch: Fetch, url: string): Promise<FetchResponse | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return fetch(url, { method: 'GET', headers: { accept: 'application/json' }, signal, redirect: 'manual' }).catch(
    () => undefined,
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Reads the version from the OpenAPI document, which needs no key. */
async function daemonVersion(fetch: Fetch, url: string): Promise<string | undefined> {
  const text = await (await get(fetch, `${url}/v1/openapi.json`))?.text().catch(() => '');
  const { version } = Object(parse(text ?? '').info);
  return typeof version === 'string' ? version : undefined;
}

/** Compares major and minor version: patches only fix. */
function checkVersion(daemon: string | undefined, own: string): Finding {
  const check = 'Version';
  if (daemon === undefined) {
    return { check, state: 'warning', message: 'the daemon does not report its version', fix: 'svc doctor' };
  }
  const [ownMajor = 0, ownMinor = 0] = own.split('.').map(Number);
  const [major = 0, minor = 0] = daemon.split('.').map(Number);
  if (major === ownMajor && minor === ownMinor) return { check, state: 'ok', message: `the daemon runs svc ${daemon}` };
  const daemonIsOlder = major < ownMajor || (major === ownMajor && minor < ownMinor);
  const message = `the daemon runs svc ${daemon}, this program is ${own}`;
  const fix = daemonIsOlder
    ? `npm install -g svc-memory@${own} on the daemon's machine, then restart it`
    : `npm install -g svc-memory@${daemon}`;
  return { check, state: 'warning', message, fix };
}

const SET_CLOCK: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
};

function checkClock(offsetMs: number, platform: NodeJS.Platform): Finding {
  const check = 'Clock';
  if (Math.abs(offsetMs) <= LARGEST_OFFSET_MS) return { check, state: 'ok', message: 'agrees with the daemon' };
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const message = `${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the daemon's`;
  return {
    check,
    state: 'warning',
    message,
    fix: `${SET_CLOCK[platform] ?? 'timedatectl set-ntp true'}, on the machine whose clock is wrong`,
  };
}
