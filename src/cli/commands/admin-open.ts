import { type Command, InvalidArgumentError } from 'commander';
import { listenerUrl, port } from '../../daemon/config-values.ts';
import { issueOperatorTicket } from '../../features/operator/operator-sessions.ts';
import { systemClock, toTimestamp } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { isLoopbackUrl } from '../daemon-url.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { openBrowser } from '../open-browser.ts';
import type { AdminContext } from './admin-context.ts';

const HELP = `
Opens the operator's view of the daemon that runs on this machine: accounts,
invitations, backups, checks and queues. The link works once and for 60 seconds,
and only on this machine. Over ssh, forward the daemon's port to your own
machine (ssh -L 8787:127.0.0.1:8787) and open the link there.

Examples:
  $ svc admin open
  $ svc admin open --print --port 9000`;

/** `svc admin open`: opens the operator's view in the browser, signed in by a ticket. */
export function addOpenCommand(admin: Command, { context, config, json, print }: AdminContext): void {
  admin
    .command('open')
    .description("open the operator's view in your browser")
    .option('--print', 'print the link instead of opening it')
    .option('--port <port>', "the daemon's port [SVC_PORT]", parsePort)
    .addHelpText('after', HELP)
    .action(async (options: { print?: true; port?: number }) => {
      const { terminal, environment } = await context();
      const settings = await config();
      const address = listenerUrl(settings.host, options.port ?? settings.port);
      if (!isLoopbackUrl(address)) {
        const message = `The daemon listens on ${settings.host} alone, and the operator's view is only at 127.0.0.1. Set SVC_HOST to 127.0.0.1 or 0.0.0.0.`;
        throw new CommandFailure(EXIT.failed, message);
      }
      await requireDaemon(address);
      const { withRooms } = await import('../../daemon/admin.ts');
      const [clock, random] = [systemClock, systemRandom];
      const { ticket, expiresAt } = await withRooms(settings, ({ db }) => issueOperatorTicket({ db, clock, random }));
      const page = `${address}/dashboard/operator`;
      const url = `${page}#operator=${ticket}`;
      if (json() || options.print) return print(url, { url, expiresAt: toTimestamp(expiresAt) });
      if (await openBrowser(url, environment)) return terminal.out(`Opened ${page} in your browser.\n`);
      terminal.error('No browser could be opened here. Open this link within 60 seconds; it works once:\n');
      terminal.out(`${url}\n`);
    });
}

async function requireDaemon(address: string): Promise<void> {
  const answer = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  if (answer?.ok) return;
  const message = `No daemon answers at ${address}. Start it with svc serve, or name its port with --port.`;
  throw new CommandFailure(EXIT.failed, message);
}

function parsePort(text: string): number {
  try {
    return port(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
