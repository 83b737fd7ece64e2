import type { StoredSignIn } from './account-context.ts';
import type { CommandContext } from './command-context.ts';

/**
 * After a sign-in has replaced the key: assistants whose entry holds the old one are found, and get the new one where
 * the person agrees. Without a terminal nothing is written; what to do is said.
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
      `Another key of this daemon stands in the configuration of ${names}. Run svc mcp-config to renew it.\n`,
    );
    return;
  }
  terminal.error(`Another key of this daemon stands in the configuration of ${names}.\n`);
  const answer = await input.ask('Write the new one? [Y/n] ');
  if (!/^\s*(?:y|yes)?\s*$/i.test(answer)) return;
  for (const { title, path, fault } of await rewriteLiteralKeys(stale, apiKey)) {
    terminal.error(fault === undefined ? `${title}: renewed in ${path}\n` : `${title}: left as it is. ${fault}\n`);
  }
}
