import type { ImportFormat } from '../../contract/portability.ts';
import type { ReadItems } from './import-items.ts';
import { readPlain } from './read-plain.ts';
import { readSvc } from './read-svc.ts';

/** What reads each format. */
export const READERS: Partial<Record<ImportFormat, ReadItems>> = { svc: readSvc, lines: readPlain };
