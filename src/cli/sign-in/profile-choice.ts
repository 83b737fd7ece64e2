import { Option } from 'commander';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_PROFILE, type Profile, type Settings } from '../settings.ts';

const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/i;

/** Validates a profile name. Rejects names that are awkward to type or look like an option. */
export function profileName(text: string): string {
  const name = text.trim();
  if (NAME.test(name)) return name;
  throw new CommandFailure(
    EXIT.usage,
    `A profile name consists of letters, digits, dots, dashes, underscores and @, and starts with a letter or digit; got ${JSON.stringify(text)}.`,
  );
}

/** The `--profile` option shared by all commands. */
export function profileOption(description: string): Option {
  return new Option('--profile <name>', `${description} [SVC_PROFILE]`).argParser(profileName);
}

/** The name to save a sign-in under. */
export interface ProfileChoice {
  name: string;
  /** The current profile, if it belongs to another account and the name is only a suggestion. */
  otherAccount?: Profile;
}

/**
 * Chooses the requested profile, or the current one if it belongs to this account and daemon. Otherwise chooses an
 * existing profile of this account, `default` if free, or a new name derived from the daemon's host or the email
 * address.
 */
export function chooseProfile(
  settings: Settings,
  { requested, url, email }: { requested: string | undefined; url: string; email: string },
): ProfileChoice {
  const profiles = settings.profiles();
  const isSame = (profile: Profile) => profile.url === url && sameAddress(profile.email, email);
  const currentName = settings.profileName(requested);
  const current = settings.profile(currentName);
  if (requested !== undefined || !current || isSame(current)) return { name: currentName };
  const known = Object.entries(profiles).find(([, profile]) => isSame(profile));
  if (known) return { name: known[0] };
  if (!Object.hasOwn(profiles, DEFAULT_PROFILE)) return { name: DEFAULT_PROFILE };
  const difference = current.url === url ? (email.split('@')[0] ?? '') : new URL(url).hostname;
  return { name: freeName(difference, profiles), otherAccount: current };
}

/** Compares addresses case-insensitively, to recognize one typed differently. The daemon has the final say. */
function sameAddress(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function freeName(suggested: string, taken: Record<string, Profile>): string {
  const base =
    suggested
      .replace(/[^a-z0-9._-]+/gi, '-')
      .replace(/^[^a-z0-9]+/i, '')
      .slice(0, 60) || 'account';
  let name = base;
  for (let number = 2; Object.hasOwn(taken, name); number += 1) name = `${base}-${number}`;
  return name;
}
