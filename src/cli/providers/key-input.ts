import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { readStdin } from '../memory/stdin.ts';

const KEY = /^[\x21-\x7e]+$/;

/**
 * A provider's key, from a question that shows nothing of the answer or, where standard input is no terminal, from
 * there; `undefined` where an empty line says that there is none. No message repeats what was given.
 */
export async function readProviderKey(provider: Provider, { input }: CommandContext): Promise<string | undefined> {
  const optional = KEYLESS_PROVIDERS.has(provider);
  const hint = optional ? 'not shown; empty if it needs none' : 'not shown';
  const given = input.isTty
    ? await input.ask(`Key for ${provider} (${hint}): `, { hidden: true })
    : await readStdin(input);
  const key = given.trim();
  if (key === '' && optional) return undefined;
  if (key === '') {
    const advice = `Type it when svc provider add ${provider} asks, or pipe it in.`;
    throw new CommandFailure(EXIT.usage, `There is no key in what was given. ${advice}`);
  }
  if (!KEY.test(key)) throw new CommandFailure(EXIT.usage, 'A key is one word without blanks. What was given is none.');
  return key;
}

/**
 * What to say where a key stands in the command line: it is known to the shell's history by then. The word in the
 * provider's place is repeated only where it is one.
 */
export function keyInArgumentsError(word: string): CommandFailure {
  const again = `svc provider add ${PROVIDERS.find((provider) => provider === word) ?? '<provider>'}`;
  return new CommandFailure(
    EXIT.usage,
    [
      'A key is never taken from the command line: nothing was sent or kept.',
      "If that was one, it is now in your shell's history, and other programs could see it: replace it at the provider.",
      `Then run ${again} alone, which asks for it, or pipe it in.`,
    ].join('\n'),
  );
}

const QUOTED = /'[^']{20,}'/g;
const VALUE = /(--?[\w-]+)=[^'\s]+/g;

/** A complaint about the command line without what may be a key in it. */
export function redactKeys(complaint: string): string {
  return complaint.replace(VALUE, '$1=…').replace(QUOTED, "'…'");
}
