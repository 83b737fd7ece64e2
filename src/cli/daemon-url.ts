import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Parses a typed daemon address to scheme, host and port. Without a scheme it is http on this machine and https
 * elsewhere. Throws `CommandFailure` (usage) for anything that is not an address.
 */
export function parseDaemonUrl(typed: string): string {
  const text = typed.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? text
    : `${isLoopbackHost(text) ? 'http' : 'https'}://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CommandFailure(
      EXIT.usage,
      `${JSON.stringify(typed)} is not a daemon address such as https://svc.example.com`,
    );
  }
  return url.origin;
}

function isLoopbackHost(text: string): boolean {
  return URL.canParse(`http://${text}`) && LOOPBACK.test(new URL(`http://${text}`).hostname);
}

/** Whether the daemon at this address is on this machine. */
export function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

/** Whether a key sent to this address would cross a network unencrypted. */
export function isUnencrypted(url: string): boolean {
  return new URL(url).protocol === 'http:' && !isLoopbackUrl(url);
}

/** Says that no daemon answers at an address, and how to start one. */
export function unanswered(url: string): string {
  return `No daemon answers at ${url}. Start it${isLoopbackUrl(url) ? '' : ' there'} with svc serve, or name another with svc login --url ADDRESS.`;
}
