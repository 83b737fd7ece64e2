import { isNewer } from '../../lib/versions.ts';
import { versionOf } from './installation.ts';
import type { ReleasedArchive } from './release.ts';

/** The latest upgrade of an installation, from which it is finished or taken back. */
export interface UpgradeRecord {
  /** `switching`: until the new daemon was ready; `returning`: until the former version is back; `finished`. */
  state: 'switching' | 'returning' | 'finished';
  /** Names of folders of the installation. */
  from: string;
  to: string;
  dataDir: string;
  /** The backup from before, and its schema; `null` if there was no database file. */
  backup: { file: string; schema: number } | null;
  startedAt: string;
}

/** What an upgrade decides from. */
export interface UpgradeFacts {
  /** The folder that `current` leads to. */
  current: string;
  record: UpgradeRecord | undefined;
}

/** What `svc upgrade` does before it looks at a release: an upgrade that was interrupted comes first. */
export type Unfinished = { kind: 'finish' | 'return'; record: UpgradeRecord };

/**
 * Returns how an interrupted upgrade goes on. A record whose new version is not the current one was written right before
 * the switch, or something else has installed a version since: there is nothing to finish.
 */
export function unfinishedUpgrade({ current, record }: UpgradeFacts): Unfinished | undefined {
  if (record?.state === 'returning') return { kind: 'return', record };
  if (record?.state === 'switching' && current === record.to) return { kind: 'finish', record };
  return undefined;
}

/** The upgrade that can be taken back: the one that made the current version. */
export function reversibleUpgrade({ current, record }: UpgradeFacts): UpgradeRecord | undefined {
  return record !== undefined && (record.state === 'returning' || current === record.to) ? record : undefined;
}

/** Whether the release is newer than the current version. */
export function isUpgrade({ version }: Pick<ReleasedArchive, 'version'>, current: string): boolean {
  return isNewer(version, versionOf(current));
}

/** Whether going back needs the backup: the former version cannot open a database of a newer schema. */
export function needsBackup({ backup }: Pick<UpgradeRecord, 'backup'>, schema: number | undefined): boolean {
  return backup !== null && schema !== backup.schema;
}

/** The name of the folder for a version, which must not exist yet. */
export function freeName(version: string, taken: readonly string[]): string {
  let name = version;
  while (taken.includes(name)) name += '+';
  return name;
}

/** Folders of versions that nothing needs any more: neither the current one nor the one to go back to. */
export function outdatedVersions(names: readonly string[], kept: readonly string[]): string[] {
  return names.filter((name) => /^\d/.test(name) && !kept.includes(name));
}
