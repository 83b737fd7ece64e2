import { readdir, readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Writes `FILE.br` and `FILE.gz` beside every file of a folder. */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const { name: file } of entries.filter((entry) => entry.isFile())) {
    if (/\.(br|gz)$/.test(file)) continue;
    const content = await readFile(`${folder}/${file}`);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    await writeFile(`${folder}/${file}.br`, brotliCompressSync(content, { params }));
    await writeFile(`${folder}/${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}
