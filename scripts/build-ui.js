import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** What was taken of packages, for the notices; kept beside the files and not shipped. */
const takenFile = 'taken.json'

/**
 * Builds the web page. Nothing of it is built that was built before: the result is kept under a hash of all that it is
 * made of, since Vite alone takes a second to load.
 * @param {string} root absolute
 * @param {string} outdir absolute; is made
 * @returns {Promise<string[]>} files of packages whose text it took, relative to the root
 */
export async function buildUi(root, outdir) {
  const kept = join(root, 'node_modules', '.cache', 'memory-service-ui')
  const result = join(kept, await hashOfSources(root))
  const taken = join(result, takenFile)
  if (!(await readFile(taken).catch(() => undefined))) await buildInto(root, kept, result)
  await cp(result, outdir, { recursive: true, filter: path => !path.endsWith(takenFile) })
  return JSON.parse(await readFile(taken, 'utf8'))
}

/** Keeps this result alone: old ones would pile up. */
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
      // A list of the files with what each loads at once, which the test of sizes reads.
      manifest: true,
      // An image in the text of a style would be one from `data:`, which the policy of the page forbids.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  return output
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => relative(root, path.replace(/^\0/u, '').replace(/\?.*$/u, '')).replaceAll(sep, '/'))
    .filter(path => path.startsWith('node_modules/'))
}

/** Of the sources, what they are built by, and the versions of packages. */
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
