import { Argument } from 'commander';
import { PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { keyInArgumentsError } from './key-input.ts';

/** Any word is taken at first: a complaint of the parser's own would repeat it, and it may be a key. */
export function providerArgument(): Argument {
  const argument = new Argument('<provider>', 'whose models').choices([...PROVIDERS]);
  return argument.argParser((word) => word);
}

/** Throws `CommandFailure` where there is no such provider. */
export function parseProvider(word: string): Provider {
  const provider = PROVIDERS.find((one) => one === word.toLowerCase());
  if (provider !== undefined) return provider;
  if (word.length >= 20) throw keyInArgumentsError(word);
  throw new CommandFailure(EXIT.usage, `There is no provider ${word}. There are: ${PROVIDERS.join(', ')}.`);
}
