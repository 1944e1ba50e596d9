import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledDriver, bundleUrl, common, external, ownPackage } from './bundle.js'
import { onDemand } from './bundle-on-demand.js'
import { packChunks } from './pack-chunks.js'
import { finishScript } from './script-text.js'
import { bundledFiles } from './third-party-notices.js'

const root = join(import.meta.dirname, '..')
const files = { entry: 'daemon.js', main: 'daemon.cjs', rest: 'daemon-rest.cjs' }

/** Folders whose late imports everyday requests need, so they belong in the script with the code cache. */
const everyday = ['src/daemon/memory/', 'src/daemon/safety/', 'src/daemon/sessions/']

/**
 * Bundles the daemon as two files: a script with a code cache for starts and everyday requests, and a file
 * with the rest. The sources use `import()` for modules that a start does not need.
 * @returns the files whose text is included.
 */
export async function bundleDaemon(outdir) {
  const { metafile } = await build({
    ...common,
    outdir,
    entryPoints: { daemon: join(root, 'src', 'daemon', 'process', 'main.ts') },
    define: bundleUrl,
    // As for the MCP server.
    alias: { 'zod/v4': 'zod' },
    format: 'esm',
    splitting: true,
    chunkNames: 'daemon-[hash]',
    // Keeps line breaks, since the daemon's stack traces go to a log that people read.
    minifyWhitespace: false,
    external,
    plugins: [...onDemand(), separateUndici(), bundledDriver(), ownPackage],
  })
  await packChunks(outdir, metafile, files, source => everyday.some(folder => source.startsWith(folder)))
  await finishScript(join(outdir, files.main))
  return bundledFiles({ metafile })
}

/**
 * Keeps undici, a quarter of the daemon's text, in its own file: only a daemon with a provider or a download
 * needs it.
 */
function separateUndici() {
  return {
    name: 'separate-undici',
    setup({ onResolve }) {
      onResolve({ filter: /^undici$/ }, () => ({ path: './undici.js', external: true }))
    },
  }
}
