import { Option } from 'commander';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_PROFILE, type Profile, type Settings } from '../settings.ts';

const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/i;

/** Refuses what would be awkward to type, or to tell from an option. */
export function profileName(text: string): string {
  const name = text.trim();
  if (NAME.test(name)) return name;
  throw new CommandFailure(
    EXIT.usage,
    `A profile's name is of letters, digits, dots and dashes, not ${JSON.stringify(text)}.`,
  );
}

/** `--profile`, the same for every command. */
export function profileOption(description: string): Option {
  return new Option('--profile <name>', `${description} [SVC_PROFILE]`).argParser(profileName);
}

/** Under which name a sign-in is to be kept. */
export interface ProfileChoice {
  name: string;
  /** Set where the name is a proposal, because the profile in use is another account's: whose. */
  insteadOf?: Profile;
}

/**
 * The profile that was asked for, or the one in use, unless that is another account's or another daemon's: then one
 * that is this account's already, or a new name after what differs, the daemon's host or the address.
 */
export function chooseProfile(
  settings: Settings,
  { asked, url, email }: { asked: string | undefined; url: string; email: string },
): ProfileChoice {
  const profiles = settings.profiles();
  const isSame = (profile: Profile) => profile.url === url && sameAddress(profile.email, email);
  const inUse = settings.profileName(asked);
  const present = settings.profile(inUse);
  if (asked !== undefined || !present || isSame(present)) return { name: inUse };
  const known = Object.entries(profiles).find(([, profile]) => isSame(profile));
  if (known) return { name: known[0] };
  if (!Object.hasOwn(profiles, DEFAULT_PROFILE)) return { name: DEFAULT_PROFILE };
  const difference = present.url === url ? (email.split('@')[0] ?? '') : new URL(url).hostname;
  return { name: freeName(difference, profiles), insteadOf: present };
}

/** The daemon decides what one address is; this is only to notice the same one typed another way. */
export function sameAddress(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function freeName(wish: string, taken: Record<string, Profile>): string {
  const base =
    wish
      .replace(/[^a-z0-9._-]+/gi, '-')
      .replace(/^[^a-z0-9]+/i, '')
      .slice(0, 60) || 'account';
  let name = base;
  for (let number = 2; Object.hasOwn(taken, name); number += 1) name = `${base}-${number}`;
  return name;
}
