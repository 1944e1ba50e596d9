import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unpack = promisify(gunzip)

/**
 * Files that are large and no code: the build puts them into a folder beside the bundle, compressed; where the sources
 * run they are in the package that they come from.
 * @param module `import.meta.url` of the module that asks
 * @param file one of them in the package
 */
export function packedFolder(module: string, name: string, file: string): string {
  const besideBundle = fileURLToPath(new URL(name, module))
  return existsSync(besideBundle) ? besideBundle : dirname(createRequire(module).resolve(file))
}

/** One of such files, compressed or not. */
export async function readPacked(file: string): Promise<Uint8Array> {
  return existsSync(file) ? readFile(file) : unpack(await readFile(`${file}.gz`))
}
