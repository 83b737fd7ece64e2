import { writeArchives } from './release/archive.ts';

const withXz = process.argv.includes('--xz');
for (const archive of await writeArchives({ withXz })) console.log(archive);
