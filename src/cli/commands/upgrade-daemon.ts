import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig, readProcessConfig } from '../../daemon/config.ts';
import type { Config } from '../../daemon/config-settings.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { chosenScope, openSupervisor, requireOwner, type ServiceContext } from '../service/context.ts';
import { probeDaemon } from '../service/daemon-probe.ts';
import type { Supervisor } from '../service/supervisor.ts';
import { untilReady } from './service-install.ts';
import { addressIn, readServiceSettings } from './service-settings.ts';

/** The daemon whose program is upgraded. */
export interface UpgradedDaemon {
  /** The service that runs it; `undefined` if svc is started by hand. */
  service: string | undefined;
  config: Config;
  /** Stops the service. */
  stop(): Promise<void>;
  /** Starts the current version and waits until it is ready. Throws `CommandFailure` with the reason if it is not. */
  start(limitMs: number): Promise<void>;
  /** Starts the current version again after the other one failed. Without a service there was nothing to start. */
  resume(limitMs: number): Promise<void>;
}

interface DaemonOptions {
  system?: true;
  dataDir?: string;
}

/** Opens the service that runs the installation in `folder`, or else the daemon that a person would start here. */
export async function openUpgradedDaemon(
  folder: string,
  options: DaemonOptions,
  context: ServiceContext,
): Promise<UpgradedDaemon> {
  const supervisor = await findSupervisor(folder, options, context);
  return supervisor === undefined
    ? openOwnDaemon(folder, options, context)
    : openServiceDaemon(supervisor, options, context);
}

/** The supervisor of a service that starts the installation's current version. */
async function findSupervisor(
  folder: string,
  options: DaemonOptions,
  context: ServiceContext,
): Promise<Supervisor | undefined> {
  const supervisor = openSupervisor(chosenScope(options, context), context);
  const runs = await supervisor.assertAvailable().then(
    () => true,
    () => false,
  );
  if (!runs) return undefined;
  const { isInstalled, foreignUnit } = await supervisor.state();
  if (!isInstalled || foreignUnit !== undefined) return undefined;
  const unit = await readFile(supervisor.layout.unitFile, 'utf8');
  return unit.includes(join(folder, 'current')) ? supervisor : undefined;
}

async function openServiceDaemon(
  supervisor: Supervisor,
  { dataDir }: DaemonOptions,
  context: ServiceContext,
): Promise<UpgradedDaemon> {
  if (dataDir !== undefined)
    throw new CommandFailure(EXIT.usage, `${supervisor.title} has its own data folder. Omit --data-dir.`);
  requireOwner(supervisor.layout.scope, context, 'upgrade');
  const settings = await readServiceSettings(supervisor.layout);
  const own = { ...settings, SVC_DATA_DIR: settings.SVC_DATA_DIR || supervisor.layout.dataDir };
  const start = async (limitMs: number) => {
    await supervisor.start();
    await untilReady(addressIn(settings), supervisor, context, limitMs);
  };
  return {
    service: supervisor.title,
    config: readConfig({}, own, ''),
    stop: () => supervisor.stop(),
    start,
    resume: start,
  };
}

const POLL_MS = 100;

/** The daemon is tried on its own port and stopped again. */
async function openOwnDaemon(
  folder: string,
  { dataDir }: DaemonOptions,
  { environment: { env, cwd }, clock, fetch }: ServiceContext,
): Promise<UpgradedDaemon> {
  const given = await readProcessConfig(dataDir === undefined ? {} : { dataDir });
  // The record of the upgrade names it, and is read in other folders.
  const config = { ...given, dataDir: resolve(cwd, given.dataDir) };
  // It logs to its standard output and says where it listens, whatever the settings say.
  const own = { SVC_DATA_DIR: config.dataDir, SVC_PUBLIC_URL: '', SVC_LOG_FILE: '', SVC_LOG_FORMAT: 'json' };
  const environment = { ...env, ...own };

  async function start(limitMs: number): Promise<void> {
    const words = ['serve', '--host', '127.0.0.1', '--port', '0'];
    // Through the channel it notices if this process is killed, and stops.
    const options = {
      env: environment,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'] as ['ignore', 'pipe', 'pipe', 'ipc'],
    };
    const child = spawn(join(folder, 'current', 'svc'), words, options);
    const output = { text: '' };
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output.text += text;
      });
    let isRunning = true;
    const ended = new Promise<void>((resolve) => {
      child.once('error', ({ message }) => {
        output.text += message;
      });
      child.once('close', () => {
        isRunning = false;
        resolve();
      });
    });
    try {
      for (const deadlineMs = clock.monotonicMs() + limitMs; clock.monotonicMs() < deadlineMs; await sleep(POLL_MS)) {
        const url = /svc is running at (http\S+)/.exec(output.text)?.[1];
        if (url !== undefined && (await probeDaemon(fetch, url)).isReady) return;
        if (!isRunning) throw new CommandFailure(EXIT.failed, `svc serve ended: ${lastWords(output.text)}`);
      }
      throw new CommandFailure(EXIT.unreachable, `svc serve is not ready: ${lastWords(output.text)}`);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  }

  return { service: undefined, config, stop: async () => {}, start, resume: async () => {} };
}

/** Why a daemon ended: the first line of its error, otherwise the last that it printed. */
function lastWords(text: string): string {
  const error = /^svc: (?!warning)(.+)$/m.exec(text)?.[1];
  return error ?? (text.trim().split('\n').at(-1) || 'it printed nothing');
}
