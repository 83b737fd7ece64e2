import { writeBundle } from './release/bundle.ts';

console.log(await writeBundle());
