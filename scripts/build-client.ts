import { fileURLToPath } from 'node:url';
import { writeClientPackage } from './client-package.ts';

await writeClientPackage(fileURLToPath(new URL('../dist-client', import.meta.url)));
