import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A daemon's address as people write it, as scheme, host and port: without a scheme it is http on this machine and https
 * elsewhere. What is no address is a fault of usage.
 */
export function parseDaemonUrl(typed: string): string {
  const text = typed.trim();
  const spelled = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${isLoopbackHost(text) ? 'http' : 'https'}://${text}`;
  const url = URL.canParse(spelled) ? new URL(spelled) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CommandFailure(
      EXIT.usage,
      `${JSON.stringify(typed)} is no address of a daemon, like https://svc.example.com`,
    );
  }
  return url.origin;
}

function isLoopbackHost(text: string): boolean {
  return URL.canParse(`http://${text}`) && LOOPBACK.test(new URL(`http://${text}`).hostname);
}

/** Whether a key would cross a network in the clear on its way to the daemon. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
