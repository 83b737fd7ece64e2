import type { ImportFormat } from '../../contract/portability.ts';
import { readForeign } from './foreign-formats.ts';
import type { ReadItems } from './import-items.ts';
import { readPlain } from './read-plain.ts';
import { readSvc } from './read-svc.ts';

/** What reads each format. */
export const READERS: Record<ImportFormat, ReadItems> = { svc: readSvc, lines: readPlain, ...readForeign };
