import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledDriver, bundleUrl, common, external, ownPackage } from './bundle.js'
import { onDemand } from './bundle-on-demand.js'
import { lateModules, loadedAtStart } from './late-modules.js'
import { packChunks } from './pack-chunks.js'
import { finishScript } from './script-text.js'
import { bundledFiles } from './third-party-notices.js'
import { tryDaemon } from './try-daemon.js'

const root = join(import.meta.dirname, '..')
const entry = 'src/daemon/process/main.ts'
const files = { entry: 'daemon.js', main: 'daemon.cjs', rest: 'daemon-rest.cjs' }

/**
 * Folders with what recalls and saves call for each row or word, which a trial of a few requests does not call all of: a
 * late function costs a call more each time.
 */
const neverLate = ['src/lib/', 'src/store/index/', 'src/daemon/ground/index/', 'src/daemon/ground/text/']
/** The same of those whose modules call each other so, and are called by others once a request. */
const neverLateInside = ['src/daemon/memory/recall/']

const canBeLate = (file, importer) =>
  !standsIn(neverLate, file) &&
  !neverLateInside.some(folder => standsIn([folder], file) && standsIn([folder], importer))

/** What each request calls many times; not made late for a start alone. */
const usedThroughout = ['src/store/', 'src/daemon/platform/http/']

const standsIn = (folders, file) => folders.some(folder => file.startsWith(folder))

/**
 * The daemon: what a start and everyday requests run as one script with a code cache, as the CLI is, and the rest, of
 * which a part is read when something of it is called. What only requests run is made by the first of them. Which is
 * which a daemon tells that is tried first, all of whose modules are loaded when they are called. Threads and an empty
 * database have to be in `outdir` already.
 * @returns the files whose text it took.
 */
export async function bundleDaemon(outdir) {
  const trial = await bundle(outdir, canBeLate)
  const { atStart, ever } = await tryDaemon(root, join(outdir, files.main))
  const sourcesOf = numbers => new Set(Array.from(numbers, number => trial.sources[number]))
  const [needed, used] = [sourcesOf(atStart), sourcesOf(ever)]
  const isNeeded = file => needed.has(file) || (used.has(file) && standsIn(usedThroughout, file))
  const begun = loadedAtStart(trial.metafile, entry, isNeeded)
  const everyday = loadedAtStart(trial.metafile, entry, file => used.has(file))
  const isLater = (loaded, file, importer) => loaded.has(importer) && !loaded.has(file)
  const { metafile } = await bundle(
    outdir,
    (file, importer) =>
      canBeLate(file, importer) && (isLater(begun, file, importer) || isLater(everyday, file, importer)),
    file => everyday.has(file),
  )
  return bundledFiles({ metafile })
}

async function bundle(outdir, isLate, isEveryday = () => false) {
  const { metafile } = await build({
    ...common,
    outdir,
    entryPoints: { daemon: join(root, entry) },
    define: bundleUrl,
    // As for the MCP server.
    alias: { 'zod/v4': 'zod' },
    format: 'esm',
    splitting: true,
    chunkNames: 'daemon-[hash]',
    // The daemon's stacks go to a log that people read.
    minifyWhitespace: false,
    external,
    plugins: [lateModules(root, { isLate }), ...onDemand(), separateUndici(), bundledDriver(), ownPackage],
  })
  const sources = await packChunks(outdir, metafile, files, isEveryday)
  await finishScript(join(outdir, files.main))
  return { metafile, sources }
}

/** A quarter of the daemon's text that only a daemon with a provider or a download ever needs. */
function separateUndici() {
  return {
    name: 'separate-undici',
    setup({ onResolve }) {
      onResolve({ filter: /^undici$/ }, () => ({ path: './undici.js', external: true }))
    },
  }
}
