import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../test/helpers/free-port.ts';
import { openMailbox } from '../test/helpers/mailbox.ts';
import { type ScriptedModel, startScriptedModel } from '../test/helpers/scripted-model/server.ts';
import { WAYS_IN, type WayIn } from './doors/ways-in.ts';

/**
 * Measures the ways in of docs/doors.md: how many commands and seconds from an empty home to one that works. It needs
 * `npm run build`, python3, zip, curl and the registries of npm and Python, and prints the rows of the table.
 * `node --import tsx scripts/doors.ts [NAME…]`
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const EMAIL = 'ada@example.com';

/** Signs in at the terminal and opens the link of the mail, as a person does. */
async function signIn(home: string, env: Record<string, string>): Promise<void> {
  const login = execa('svc', ['login', '--email', EMAIL, '--key-store', 'file'], { cwd: home, env, extendEnv: false });
  const link = await openMailbox(env.SVC_MAIL_DIR!).latestLink(EMAIL);
  const token = new URL(link).searchParams.get('token') ?? '';
  const page = await fetch(`${env.SVC_URL}/v1/auth/callback`, { method: 'POST', body: new URLSearchParams({ token }) });
  const [, handOver = ''] = /data-loopback-url="([^"]+)"/.exec(await page.text()) ?? [];
  await fetch(handOver.replaceAll('&amp;', '&'));
  await login;
}

async function measure(way: WayIn, client: string, model: ScriptedModel): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'svc-door-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  await symlink(join(ROOT, 'bin/svc'), join(bin, 'svc'));
  const words = way.commands.flatMap((command) => command.split(' '));
  const named = (await readdir(EXAMPLES)).filter((name) => words.includes(name));
  for (const name of named) await copyFile(join(EXAMPLES, name), join(home, name));
  const port = String(await freePort());
  const env: Record<string, string> = {
    ...networkSettings(),
    ...{ HOME: home, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`, ROOT, CLIENT: client },
    ...{ SVC_PORT: port, SVC_URL: `http://127.0.0.1:${port}`, SVC_MAIL_DIR: join(home, 'mail') },
    // For a webhook to a program beside the daemon.
    SVC_PROVIDER_HOSTS: '127.0.0.1',
    ...{ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none', ANTHROPIC_BASE_URL: model.url },
    ...{
      ANTHROPIC_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.url,
      GEMINI_API_KEY: 'none',
      GEMINI_MODEL: 'scripted',
    },
  };
  await way.owned?.(home, model.url);
  const startedMs = performance.now();
  const daemon = execa('svc', ['serve'], { cwd: home, env, extendEnv: false, reject: false });
  try {
    while (!(await fetch(`${env.SVC_URL}/readyz`).catch(() => undefined))?.ok)
      await new Promise((next) => setTimeout(next, 50));
    if (!way.isPublic) await signIn(home, env);
    let printed = '';
    for (const command of way.commands) {
      const { stdout } = await execa('sh', ['-c', command], {
        cwd: home,
        env: await withKey(env, command),
        extendEnv: false,
      });
      printed = stdout;
    }
    printed = (await way.received) ?? printed;
    if (!way.prints.test(printed)) throw new Error(`It does not work: ${printed}`);
    return (performance.now() - startedMs) / 1000;
  } finally {
    daemon.kill();
    await daemon;
    await rm(home, { recursive: true, force: true });
  }
}

/** What npm and pip need on networks with certificates and mirrors of their own. */
function networkSettings(): Record<string, string> {
  const set = Object.entries(process.env).filter(([name]) => /^(PIP_\w+|NODE_EXTRA_CA_CERTS)$/.test(name));
  return Object.fromEntries(set.map(([name, value = '']) => [name, value]));
}

/** Programs get the key in their environment. */
async function withKey(env: Record<string, string>, command: string): Promise<Record<string, string>> {
  if (command.startsWith('svc')) return env;
  const { stdout } = await execa('sh', ['-c', 'cat ~/.config/svc/*'], {
    env,
    reject: false,
  });
  return { ...env, SVC_API_KEY: /svc_live_[0-9a-f]{32}/.exec(stdout)?.[0] ?? '' };
}

const names = process.argv.slice(2);
const model = await startScriptedModel();
const packed = await mkdtemp(join(tmpdir(), 'svc-door-client-'));
try {
  const { stdout } = await execa(
    'npm',
    ['run', '--silent', 'pack:client', '--', '--silent', '--pack-destination', packed],
    { cwd: ROOT },
  );
  const client = join(packed, stdout.trim().split('\n').at(-1)!);
  process.stdout.write('| way in | commands | seconds |\n|---|---|---|\n');
  for (const [name, make] of Object.entries(WAYS_IN)) {
    if (names.length > 0 && !names.some((word) => name.toLowerCase().includes(word))) continue;
    const way = await make();
    const seconds = await measure(way, client, model);
    const commands = way.commands.length + (way.isPublic ? 1 : 2);
    process.stdout.write(`| ${name} | ${commands} | ${seconds.toFixed(1)} |\n`);
  }
} finally {
  await model.close();
  await rm(packed, { recursive: true, force: true });
}
