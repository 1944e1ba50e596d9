import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Writes a compressed copy of a file into a folder; `src/lib/files/packed-files.ts` reads it. */
export async function packFile(file, folder) {
  await writeFile(join(folder, `${basename(file)}.gz`), await promisify(gzip)(await readFile(file)))
}
