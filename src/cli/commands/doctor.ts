import { Command } from 'commander';
import { type AccountContext, openKeychain } from '../account-context.ts';
import type { Finding } from '../doctor/finding.ts';
import type { DoctorDependencies } from '../doctor/subject.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { createOutput, type Output, type Style } from '../output.ts';
import { openSettings } from '../settings.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface DoctorOptions {
  profile?: string;
  deep?: true;
  dataDir?: string;
  json?: true;
}

const HELP = `
Checks the daemon with its version and clock, the key and where it is stored, the
settings, the data folder if it is on this machine, and the entries and hooks of
assistants. Each line is ok (✓), a warning (!) or a problem (✗), with the command
that fixes it.

With --deep, the whole database on this machine is checked too, as svc admin check
does: its pages, and whether indices, vectors and totals fit the rows. That takes
about ten seconds per gigabyte. A daemon can keep running, and does not wait.

The only things written are a probe in the key storage, deleted again, and the time
of a --deep check. Exits with 1 if there is a problem.

Examples:
  $ svc doctor
  $ svc doctor --deep --data-dir /var/lib/svc
  $ svc doctor --json | jq -r '.data[] | select(.state == "problem") | .fix'`;

/** `svc doctor`: checks what svc depends on at this machine, and says how to fix what is wrong. */
export function doctorCommand(
  context: AccountContext,
  { version, script }: Pick<DoctorDependencies, 'version' | 'script'>,
): Command {
  return new Command('doctor')
    .description('check what can be wrong on this machine, and how to fix it')
    .addOption(profileOption('check with this profile'))
    .option('--deep', 'check the whole database of this machine too')
    .option('--data-dir <folder>', 'the data folder [SVC_DATA_DIR]')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) => doctor(options, context, { version, script }));
}

async function doctor(
  options: DoctorOptions,
  context: AccountContext,
  program: Pick<DoctorDependencies, 'version' | 'script'>,
): Promise<void> {
  const { diagnose } = await import('../doctor/doctor.ts');
  const { clock, environment, fetch = createHttpFetch(), terminal } = context;
  const dependencies: DoctorDependencies = {
    settings: openSettings(environment),
    keychain: openKeychain(context, KEYCHAIN_TIMEOUT_MS),
    environment,
    clock,
    fetch,
    ...program,
    nodeVersion: process.versions.node,
    profile: options.profile,
    dataDir: options.dataDir,
    deep: options.deep === true,
  };
  const findings = await diagnose(dependencies);
  if (options.deep) {
    const { checkDeeply } = await import('./admin-check.ts');
    findings.push(...(await checkDeeply(options, context)));
  }
  const output = createOutput(terminal, options);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  output.data({ data: findings, problems, warnings });
  printFindings(findings, output);
  output.line();
  for (const line of wrap(summaryOf(problems, warnings), output.columns)) output.line(line);
  if (problems > 0) throw new CommandFailure(EXIT.failed);
}

/** Long enough to type a password into the keychain's prompt, short enough not to look hung. */
const KEYCHAIN_TIMEOUT_MS = 20_000;

function printFindings(findings: readonly Finding[], { style, columns, line }: Output): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const room = Math.max(columns - width - 4, 16);
  for (const { check, state, message, fix } of findings) {
    const said = wrap(printable(`${state === 'ok' ? '' : `${state}: `}${message}`), room);
    const advice = fix === undefined ? [] : wrap(printable(`→ ${fix}`), room).map(style.bold);
    for (const [index, text] of [...said, ...advice].entries()) {
      const head = index === 0 ? `${markOf(state, style)} ${style.dim(check.padEnd(width))}` : ' '.repeat(width + 2);
      line(`${head}  ${text}`);
    }
  }
}

function markOf(state: Finding['state'], style: Style): string {
  if (state === 'ok') return style.good('✓');
  return state === 'warning' ? style.caution('!') : style.bad('✗');
}

function summaryOf(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'No problems found.';
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
}
