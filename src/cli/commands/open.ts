import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openOwnClient,
  PROFILE_OPTION,
  printJson,
} from '../memory/command-options.ts';
import { openBrowser } from '../open-browser.ts';

interface OpenOptions extends CommonOptions {
  print?: true;
}

const HELP = `
Opens the web app signed in, with a link that works once and for 60 seconds.
Your API key does not change. Without a browser, prints the link; --json prints
it too, and opens nothing.

Examples:
  $ svc open
  $ svc open --print`;

/** `svc open`: opens the web app in the browser, signed in by a ticket. */
export function openCommand(context: CommandContext): Command {
  return new Command('open')
    .description('open the web app in your browser, signed in')
    .option('--print', 'print the link instead of opening it')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action((options: OpenOptions) => open(options, context));
}

async function open(options: OpenOptions, context: CommandContext): Promise<void> {
  const { terminal, environment } = context;
  const client = await openOwnClient(context, options);
  const { url, expiresAt } = await client.session.createTicket();
  if (options.json) return printJson(context, { url, expiresAt });
  if (options.print) return terminal.out(`${url}\n`);
  if (await openBrowser(url, environment)) return terminal.out(`Opened ${url.replace(/#.*/, '')} in your browser.\n`);
  terminal.error('No browser could be opened here. Open this link within 60 seconds; it works once:\n');
  terminal.out(`${url}\n`);
}
