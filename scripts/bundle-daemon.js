import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledDriver, bundleUrl, common, external, ownPackage } from './bundle.js'
import { onDemand } from './bundle-on-demand.js'
import { packChunks } from './pack-chunks.js'
import { finishScript } from './script-text.js'
import { bundledFiles } from './third-party-notices.js'

const root = join(import.meta.dirname, '..')
const files = { entry: 'daemon.js', main: 'daemon.cjs', rest: 'daemon-rest.cjs' }

/** Everyday requests run what is imported late from these folders, so it belongs in the script with the code cache. */
const everyday = ['src/daemon/memory/', 'src/daemon/safety/', 'src/daemon/sessions/']

/**
 * The daemon in two files: one script with a code cache, as the CLI is, for what a start and everyday requests run, and
 * the rest. The sources say by `import()` what a start does not need.
 * @returns the files whose text it took.
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
    // The daemon's stacks go to a log that people read.
    minifyWhitespace: false,
    external,
    plugins: [...onDemand(), separateUndici(), bundledDriver(), ownPackage],
  })
  await packChunks(outdir, metafile, files, source => everyday.some(folder => source.startsWith(folder)))
  await finishScript(join(outdir, files.main))
  return bundledFiles({ metafile })
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
