import { writeDebianPackage } from './release/deb.ts';

console.log(await writeDebianPackage());
