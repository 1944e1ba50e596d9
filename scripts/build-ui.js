import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Lists the package files used, for the notices; it is not shipped. */
const takenFile = 'taken.json'

/**
 * Builds the web page. A result is cached under a hash of all its inputs, since loading Vite alone takes a
 * second.
 * @param {string} root absolute
 * @param {string} outdir absolute; is created
 * @returns {Promise<string[]>} package files whose text is included, relative to the root
 */
export async function buildUi(root, outdir) {
  const kept = join(root, 'node_modules', '.cache', 'memory-service-ui')
  const result = join(kept, await hashOfSources(root))
  const taken = join(result, takenFile)
  if (!(await readFile(taken).catch(() => undefined))) await buildInto(root, kept, result)
  await cp(result, outdir, { recursive: true, filter: path => !path.endsWith(takenFile) })
  return JSON.parse(await readFile(taken, 'utf8'))
}

/** Keeps only this result, so that old ones do not pile up. */
async function buildInto(root, kept, result) {
  const building = `${kept}-${process.pid}`
  try {
    const taken = await bundle(root, building)
    await writeFile(join(building, takenFile), JSON.stringify(taken))
    await rm(kept, { recursive: true, force: true })
    await mkdir(kept, { recursive: true })
    await rename(building, result)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
}

async function bundle(root, outDir) {
  const { build } = await import('vite')
  const { output } = await build({
    configFile: false,
    root: join(root, 'src', 'ui'),
    base: '/ui/',
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // A list of the files that each page loads at once; the size test reads it.
      manifest: true,
      // Inlined images would be `data:` URLs, which the page's content security policy forbids.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // On a slow machine it would report the slowest plugins in the middle of `npm ci`.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  })
  return output
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => relative(root, path.replace(/^\0/u, '').replace(/\?.*$/u, '')).replaceAll(sep, '/'))
    .filter(path => path.startsWith('node_modules/'))
}

/** Hashes the sources, this build script, and the versions of packages. */
async function hashOfSources(root) {
  const folder = join(root, 'src', 'ui')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sources = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const files = [...sources.sort(), import.meta.filename, join(root, 'package-lock.json')]
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(await readFile(file))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}
