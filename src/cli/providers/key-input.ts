import { KEYLESS_PROVIDERS, PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { readStdin } from '../memory/stdin.ts';

const KEY = /^[\x21-\x7e]+$/;

/**
 * Reads a provider's key from a hidden prompt or, if standard input is not a terminal, from there. Returns `undefined` if
 * the input is empty and the provider needs no key. No message repeats the input.
 */
export async function readProviderKey(provider: Provider, { input }: CommandContext): Promise<string | undefined> {
  const optional = KEYLESS_PROVIDERS.has(provider);
  const hint = optional ? 'not shown; leave empty if none is needed' : 'not shown';
  const given = input.isTty
    ? await input.ask(`Key for ${provider} (${hint}): `, { hidden: true })
    : await readStdin(input);
  const key = given.trim();
  if (key === '' && optional) return undefined;
  if (key === '') {
    const advice = `Type it when svc provider add ${provider} asks for it, or pipe it in.`;
    throw new CommandFailure(EXIT.usage, `No key was given. ${advice}`);
  }
  if (!KEY.test(key))
    throw new CommandFailure(EXIT.usage, 'That is not a key: a key has no spaces and only printable ASCII characters.');
  return key;
}

/**
 * The error for a key on the command line, which is in the shell's history by then. `word` is repeated only if it is a
 * provider's name.
 */
export function keyInArgumentsError(word: string): CommandFailure {
  const command = `svc provider add ${PROVIDERS.find((provider) => provider === word) ?? '<provider>'}`;
  return new CommandFailure(
    EXIT.usage,
    [
      'A key is never read from the command line: nothing was sent or stored.',
      "If that was a key, it is now in your shell's history and was visible to other programs: replace it at the provider.",
      `Then run ${command} without the key: it asks for it, or reads it from a pipe.`,
    ].join('\n'),
  );
}

/** What is quoted, except for the definition of an option: `'--daily-tokens <count>'`. */
const QUOTED = /'(?!--[a-z-]+ <[^'<>]+>')[^']{20,}'/g;
const VALUE = /(--?[\w-]+)=[^'\s]+/g;

/** Redacts anything that may be a key from a usage error. */
export function redactKeys(message: string): string {
  return message.replace(VALUE, '$1=…').replace(QUOTED, "'…'");
}
