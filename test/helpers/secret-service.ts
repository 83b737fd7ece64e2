import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

/** A private session bus, with or without a keyring on it. */
export interface TestSession {
  /** The environment for a process to find the bus; there is no display, so nobody can be prompted. */
  env: Record<string, string>;
  /** Locks the keyring, as a desktop does when its user leaves. */
  lock(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionOptions {
  keyring: boolean;
  /** Prompts to unlock hang forever; otherwise prompting fails. */
  hangingPrompt?: boolean;
}

const PATIENCE_MS = 10_000;
const COLLECTION = '/org/freedesktop/secrets/collection/login';

/** Starts the real programs: `dbus-daemon`, and GNOME's keyring with an unlocked collection. */
export async function startSession({ keyring, hangingPrompt = false }: SessionOptions): Promise<TestSession> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-session-'));
  const services = join(folder, 'services');
  await mkdir(services);
  if (hangingPrompt) {
    const script = join(folder, 'prompter.sh');
    await writeFile(script, `echo $$ > '${folder}/prompter.pid'\nexec sleep 600\n`);
    const entry = `[D-BUS Service]\nName=org.gnome.keyring.SystemPrompter\nExec=/bin/sh ${script}\n`;
    await writeFile(join(services, 'prompter.service'), entry);
  }
  const socket = join(folder, 'bus');
  const config = join(folder, 'bus.conf');
  await writeFile(config, busConfig(socket, services));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
  };
  const options = { env, extendEnv: false, reject: false, forceKillAfterDelay: 2000, timeout: 120_000 } as const;
  const bus = execa('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address'], options);
  await new Promise((resolve) => bus.stdout.once('data', resolve));
  const ring = keyring ? execa('gnome-keyring-daemon', KEYRING, { ...options, input: 'password' }) : undefined;
  const call = (...words: string[]) =>
    execa(
      'dbus-send',
      ['--session', '--print-reply', '--reply-timeout=2000', '--dest=org.freedesktop.secrets', ...words],
      options,
    );
  const owns = async () => (await call('/org/freedesktop/secrets', 'org.freedesktop.DBus.Peer.Ping')).exitCode === 0;
  for (const deadline = performance.now() + PATIENCE_MS; ring && !(await owns()); await sleep(50)) {
    if (performance.now() > deadline)
      throw new Error('The keyring is not on the bus: are gnome-keyring and dbus installed?');
  }

  return {
    env,
    async lock() {
      const method = 'org.freedesktop.Secret.Service.Lock';
      await call('/org/freedesktop/secrets', method, `array:objpath:${COLLECTION}`);
    },
    async close() {
      // Started by the bus, which does not stop it.
      const prompter = await readFile(join(folder, 'prompter.pid'), 'utf8').catch(() => undefined);
      if (prompter !== undefined) process.kill(Number(prompter));
      for (const child of [ring, bus]) {
        child?.kill();
        await child;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const KEYRING = ['--foreground', '--unlock', '--components=secrets'];

/** Configures a bus that activates only the services in `services`. */
function busConfig(socket: string, services: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <servicedir>${services}</servicedir>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
`;
}
