import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from './build-options.mjs';
import { RELEASE_FOLDER, releaseTime } from './release/archive.ts';

// Packs sqlite3's binary, which `npm ci` compiled, as its installer expects it:
// npm_config_sqlite3_local_prebuilds=FOLDER npm install … takes it from there and needs no compiler.
const sqlite3 = join(root, 'node_modules/sqlite3');
const { name, version, binary } = JSON.parse(await readFile(join(sqlite3, 'package.json'), 'utf8'));
const napi = Math.max(...binary.napi_versions);
const file = join(RELEASE_FOLDER, `${name}-v${version}-napi-v${napi}-${process.platform}-${process.arch}.tar.gz`);
await mkdir(RELEASE_FOLDER, { recursive: true });
const same = [`--mtime=@${await releaseTime()}`, '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
await execa('tar', [...same, '-I', 'gzip -9n', '-cf', file, '-C', sqlite3, 'build/Release/node_sqlite3.node']);
console.log(file);
