import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { CONFIG_FLAGS, ConfigError, type Flags } from '../../daemon/config.ts';

/** Values of options by attribute name, as commander passes them to an action. */
type Given = Record<string, string | undefined>;

const FLAGS = CONFIG_FLAGS.map(({ flag, about, ...rest }) => {
  const option = new Option(flag, about);
  return {
    ...rest,
    option,
    fileOption: rest.secret
      ? new Option(`${option.long}-file <path>`, `read ${option.long} from a file, which hides it from ps`)
      : undefined,
  };
});

/** Adds one option per setting, and for secrets another that reads a file. */
export function addConfigFlags(command: Command): void {
  for (const { option, fileOption } of FLAGS) {
    command.addOption(option);
    if (fileOption) command.addOption(fileOption);
  }
}

/** Returns the settings given as options, including those in files. Throws `ConfigError` for a file it cannot read. */
export async function readConfigFlags(given: Given): Promise<Flags> {
  const flags: Flags = {};
  for (const { name, option, fileOption } of FLAGS) {
    const value = given[option.attributeName()];
    const file = fileOption && given[fileOption.attributeName()];
    if (value !== undefined) flags[name] = value;
    if (file === undefined) continue;
    if (value !== undefined) throw new ConfigError(`${option.long} and ${fileOption?.long} exclude each other`);
    flags[name] = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new ConfigError(`${fileOption?.long} ${file} cannot be read (${error.code})`);
    });
  }
  return flags;
}

/** Warns of secrets on the command line, which `ps` shows to every user of the machine. */
export function secretFlagWarnings(given: Given): string[] {
  return FLAGS.filter(({ secret, option }) => secret && revealsSecret(given[option.attributeName()])).map(
    ({ option, fileOption, env }) =>
      `${option.long} shows a secret to every user of this machine (ps). Use ${fileOption?.long} or ${env} instead.`,
  );
}

/** A URL is secret only if it contains a password. */
function revealsSecret(text: string | undefined): boolean {
  if (text === undefined) return false;
  const url = text.replace(/^ollama\+/, '');
  if (/^\.{0,2}[/\\]/.test(url)) return false;
  return !url.includes('://') || (URL.canParse(url) && new URL(url).password !== '');
}
