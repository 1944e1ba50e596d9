import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unpack = promisify(gunzip)

/**
 * Returns the folder of large data files. The build puts them, compressed, into a folder beside the bundle;
 * when running from the sources they are read from the npm package that contains them.
 * @param module `import.meta.url` of the calling module
 * @param file a file of that npm package
 */
export function packedFolder(module: string, name: string, file: string): string {
  const besideBundle = fileURLToPath(new URL(name, module))
  return existsSync(besideBundle) ? besideBundle : dirname(createRequire(module).resolve(file))
}

/** Reads a file, or its `.gz` if only that exists. */
export async function readPacked(file: string): Promise<Uint8Array> {
  return existsSync(file) ? readFile(file) : unpack(await readFile(`${file}.gz`))
}
