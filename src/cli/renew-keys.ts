import type { StoredSignIn } from './account-context.ts';
import type { CommandContext } from './command-context.ts';
import { isYes } from './confirmation.ts';

/**
 * After a sign-in, finds assistants whose configuration contains an old key and offers to replace it. Without a terminal
 * it changes nothing and only prints advice.
 */
export async function renewLiteralKeys(
  { profile, apiKey }: StoredSignIn,
  { environment, input, terminal }: Pick<CommandContext, 'environment' | 'input' | 'terminal'>,
): Promise<void> {
  const { findLiteralKeys, rewriteLiteralKeys } = await import('./assistants/literal-keys.ts');
  const own = new URL(profile.url).origin;
  const found = await findLiteralKeys(environment);
  const stale = found.filter(({ last4, url }) => last4 !== apiKey.slice(-4) && (url === undefined || url === own));
  if (stale.length === 0) return;
  const names = [...new Set(stale.map(({ title, last4 }) => `${title} (…${last4})`))].join(', ');
  if (!input.isTty) {
    terminal.error(
      `The configuration of ${names} contains another key for this daemon. Run svc mcp-config to replace it.\n`,
    );
    return;
  }
  terminal.error(`The configuration of ${names} contains another key for this daemon.\n`);
  // It may be the key of another account, which the assistant is to use.
  if (!isYes(await input.ask('Replace it with the new key? [y/N] '))) return;
  for (const { title, path, error } of await rewriteLiteralKeys(stale, apiKey)) {
    terminal.error(error === undefined ? `${title}: replaced in ${path}\n` : `${title}: not changed. ${error}\n`);
  }
}
