import type { Memory } from '../../../client/client.ts';
import { Author } from '../../parts/author.tsx';
import { Diff } from '../../parts/diff.tsx';
import { Moment } from '../../parts/moment.tsx';
import { describeChanges, restoring } from './memory-changes.ts';

interface MemoryVersionsProps {
  /** Newest first. */
  versions: readonly Memory[];
  /** The version shown above, which differs from the newest under "as of". */
  shown: number;
  isReadOnly: boolean;
  onRestore(version: Memory): void;
}

/** Every version of a memory with what it changed, newest first. */
export function MemoryVersions({ versions, shown, isReadOnly, onRestore }: MemoryVersionsProps) {
  const current = versions[0];
  if (!current) return null;
  return (
    <ol class="versions">
      {versions.map((version, index) => {
        const before = versions[index + 1];
        const changes = before ? describeChanges(before, version) : [];
        return (
          <li key={version.version} class={version.version === shown ? 'is-shown' : ''}>
            <p class="bar version-head">
              <strong>{before ? `Version ${version.version}` : 'First version'}</strong>
              <span class="hint">
                <Moment at={before ? version.updatedAt : version.createdAt} /> <Author of={version.author} />
              </span>
              {index > 0 && !isReadOnly && restoring(current, version) && (
                <button type="button" class="link version-restore" onClick={() => onRestore(version)}>
                  Restore
                </button>
              )}
            </p>
            {before && before.content !== version.content && <Diff before={before.content} after={version.content} />}
            {!before && versions.length > 1 && <p class="content version-text">{version.content}</p>}
            {changes.length > 0 && <p class="hint">{changes.join(' · ')}</p>}
          </li>
        );
      })}
    </ol>
  );
}
