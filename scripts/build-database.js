import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const source = join(import.meta.dirname, '..', 'src', 'store', 'sqlite', 'new-database.ts')

/**
 * Writes an empty database of the newest schema beside the bundles; a new workspace starts with a copy of it.
 */
export async function buildDatabase(outdir) {
  const module = join(outdir, 'new-database.mjs')
  await build({
    entryPoints: [source],
    outfile: module,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  })
  const { imageTime, newDatabase } = await import(pathToFileURL(module).href)
  await writeFile(join(outdir, 'new-database.bin'), newDatabase(imageTime))
  await rm(module)
}
