import type { Extra } from './extra.ts';
import { HOOKS } from './hook-files.ts';
import { INSTRUCTIONS } from './instruction-files.ts';
import { PERMISSIONS } from './permission-files.ts';

/** Everything that svc can write in addition to the server entry. */
export const EXTRAS: readonly Extra[] = [INSTRUCTIONS, HOOKS, PERMISSIONS];
