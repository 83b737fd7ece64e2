import { writeArchive } from './release/archive.ts';

console.log(await writeArchive());
