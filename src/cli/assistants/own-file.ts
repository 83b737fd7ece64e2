import { ConfigFileError } from './editing/document.ts';
import type { OwnedPart } from './plan-change.ts';

/** Describes a file that svc writes as a whole and that begins with `mark`. */
export function ownFile(mark: string): OwnedPart {
  return {
    contains: (text) => text.startsWith(mark),
    remove: (text) => (text.startsWith(mark) ? '' : text),
    addTo: (_, text) => text,
  };
}

/** Returns the function that replaces the file. It throws `ConfigFileError` for a file of somebody else. */
export function ownFileWriter(mark: string, content: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && !text.startsWith(mark)) {
      throw new ConfigFileError('was not written by svc: rename it, then run the command again');
    }
    return `${mark}\n${content}`;
  };
}
