import { Argument } from 'commander';
import { PROVIDERS, type Provider } from '../../contract/provider-names.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { keyInArgumentsError } from './key-input.ts';

/** Accepts any word: commander's own error would repeat it, and it may be a key. `parseProvider` checks it later. */
export function providerArgument(): Argument {
  const argument = new Argument('<provider>', 'the provider').choices([...PROVIDERS]);
  return argument.argParser((word) => word);
}

/** Throws `CommandFailure` if the provider is unknown. */
export function parseProvider(word: string): Provider {
  const provider = PROVIDERS.find((one) => one === word.toLowerCase());
  if (provider !== undefined) return provider;
  if (word.length >= 20) throw keyInArgumentsError(word);
  throw new CommandFailure(EXIT.usage, `Unknown provider ${word}. Choose one of ${PROVIDERS.join(', ')}.`);
}
