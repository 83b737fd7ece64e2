import { Command, InvalidArgumentError, Option } from 'commander';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { formatCount } from '../number-format.ts';
import { createOutput, type Output } from '../output.ts';
import type { Profile } from '../settings.ts';
import { profileOption } from '../sign-in/profile-choice.ts';
import type { SignInPrompts } from '../sign-in/prompts.ts';
import type { SignInResult } from '../sign-in/sign-in-flow.ts';

interface LoginOptions {
  email?: string;
  url?: string;
  profile?: string;
  keyStore?: Profile['keyStore'];
  browserHandOver: boolean;
  device?: true;
  timeout?: number;
  json?: true;
}

const HELP = `
You get a link by email. Open it on this computer and the terminal continues;
on a phone or over SSH, type the code that the page shows. Signing in creates a
new key: the previous one stops working at once.

For a second machine, use --device: the terminal shows a code, you allow it in
the web app or with a mailed link, and the machine gets a separate token. The
key stays valid, and later sign-ins elsewhere do not disconnect this machine.

The key is stored in the system keychain. If there is none, svc says so and uses
a file that only you can read; --key-store keychain fails instead. If standard
input is not a terminal, nothing is asked: pass --email, and pipe the code in as
a line if the link cannot be opened on this computer.

Examples:
  $ svc login                                           asks for your address
  $ svc login --email a@example.com --url https://svc.example.com
  $ svc login --email b@example.com --profile work      a second account beside the first
  $ svc login --device                                  connects another machine; the key stays valid
  $ svc login --email a@example.com --json --timeout 300`;

/** The combined lifetime of a link and its code. */
const UNATTENDED_SECONDS = 25 * 60;

/** `svc login`: signs this terminal in with an emailed link and stores the key. */
export function loginCommand(context: AccountContext): Command {
  return new Command('login')
    .description('sign in with a link sent by email')
    .option('--email <address>', 'your email address; asked for if omitted')
    .option('--url <address>', "the daemon [SVC_URL, or the profile's]")
    .addOption(profileOption('save the sign-in under this name; you can have several'))
    .addOption(new Option('--key-store <kind>', 'store the key here or fail').choices(['keychain', 'file'] as const))
    .option('--device', 'connect this machine with a separate token; the key stays valid')
    .option('--no-browser-hand-over', 'type the code instead of receiving it from a browser on this computer')
    .option('--timeout <seconds>', `give up after this long [${UNATTENDED_SECONDS} without a terminal]`, parseSeconds)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: LoginOptions) => login(options, context));
}

async function login(options: LoginOptions, context: AccountContext): Promise<void> {
  const { openSettings } = await import('../settings.ts');
  const output = createOutput(context.terminal, options);
  const settings = openSettings(context.environment);
  const prompts = await openPrompts(context, output);
  const seconds = options.timeout ?? (context.input.isTty ? undefined : UNATTENDED_SECONDS);
  const run = options.device
    ? (await import('../sign-in/connect-device.ts')).connectDevice
    : (await import('../sign-in/sign-in-flow.ts')).signIn;
  const result = await run(
    { ...options, handOver: options.browserHandOver, timeoutMs: seconds && seconds * 1000 },
    { context: { ...context, keychain: openKeychain(context) }, settings, prompts, output },
  );
  printResult(result, output);
  if (result.warning !== undefined) output.warn(result.warning);
  if (context.terminal.isTty)
    output.line('\nNext: svc mcp-config connects your assistants, svc add "…" stores a memory.');
  // Keys in files of assistants stay valid.
  if (options.device) return;
  const { profileName, profile, apiKey } = result;
  await context.afterLogin?.({ profileName, profile, apiKey }).catch((error: Error) => output.warn(error.message));
}

/** Opens an interactive screen on a terminal, plain lines otherwise. The screen is loaded only when used. */
async function openPrompts(context: AccountContext, output: Output): Promise<SignInPrompts> {
  const { screen, terminal, input, clock } = context;
  const monotonicMs = () => clock.monotonicMs();
  if (screen) {
    const { createScreenPrompts } = await import('../ui/screen-prompts.tsx');
    return createScreenPrompts({ ...screen, color: terminal.color, monotonicMs });
  }
  const { createLinePrompts } = await import('../sign-in/line-prompts.ts');
  return createLinePrompts({ input, output, monotonicMs });
}

function printResult({ account, profile, profileName }: SignInResult, output: Output): void {
  const { email, tenantId, tier, limits } = account;
  const { url, keyStore } = profile;
  const { client: device } = account.credential;
  const result = { status: 'signed-in', email, tenantId, tier, url, profile: profileName, keyStore };
  output.data({ ...result, ...(device !== undefined && { device }) });
  const { style } = output;
  output.line(`${style.good('✓')} Signed in as ${style.bold(email)}`);
  output.line(`  at ${url}`);
  output.line(`  ${tier}, ${formatCount(limits.requestsPerMinute)} requests a minute`);
  if (device !== undefined) output.line(`  as the device ${device}; your API key did not change`);
  output.line(
    `  profile ${profileName}, ${device === undefined ? 'key' : 'token'} in ${keyStore === 'keychain' ? 'the keychain' : 'a file with mode 0600'}`,
  );
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds between 1 and 86400.');
}
