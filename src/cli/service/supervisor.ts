import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { ServiceLayout } from './layout.ts';
import type { Ran } from './run-program.ts';

/** The process that a supervisor runs. */
interface ServiceSpec {
  /** The program that starts svc, without arguments of `svc`. */
  program: readonly string[];
  /** The arguments of another service than the daemon's, which needs no settings file. */
  words?: readonly string[];
  /** Variables that another service has than those of its user. A task of Windows has none. */
  environment?: Readonly<Record<string, string>>;
  dataDir: string;
  /** Folders besides the data folder that the daemon writes. */
  writable: readonly string[];
}

/** State of the service as its supervisor reports it. */
export interface ServiceState {
  isInstalled: boolean;
  /** `undefined` if the supervisor does not say. */
  activity?: 'running' | 'starting' | 'stopped' | 'failed';
  pid?: number;
  /** The unit in force, if it is not the one that `svc service` writes. */
  foreignUnit?: string;
}

/** Where the log of the service is. */
export type LogSource = { command: string; args(lines: number, follow: boolean): string[] } | { file: string };

/** systemd, launchd or the Task Scheduler. Its methods throw `CommandFailure` with what the supervisor says. */
export interface Supervisor {
  /** Name of the supervisor and the service's name there. */
  title: string;
  layout: ServiceLayout;
  log: LogSource;
  /** The unit file's content. */
  render(spec: ServiceSpec): Promise<string | Buffer>;
  /** Throws if the supervisor does not run here. */
  assertAvailable(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Loads the written unit, enables it at boot or sign-in, and starts or restarts it. */
  start(): Promise<void>;
  /** Stops the service until it is started again, by `start`, at boot or at sign-in. */
  stop(): Promise<void>;
  /** Stops the service and makes it start no more. The caller then deletes the unit file and calls `forget`. */
  remove(): Promise<void>;
  /** Makes the supervisor forget a unit whose file is gone. */
  forget(): Promise<void>;
  /** What the person should do so that it starts at boot; `undefined` if it does. */
  bootAdvice(): Promise<string | undefined>;
}

/** Returns what the program printed; throws `CommandFailure` if it failed. */
export function requireSuccess(what: string, { code, out, error }: Ran): string {
  if (code === 0) return out;
  throw new CommandFailure(EXIT.failed, `${what} failed: ${(error || out).trim() || `exit code ${code}`}`);
}
