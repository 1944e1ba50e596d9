import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildDatabase } from './build-database.js'
import { buildMcpApp } from './build-mcp-app.js'
import { buildSafetyWords } from './build-safety-words.js'
import { buildUi } from './build-ui.js'
import { buildWasm } from './build-wasm.js'
import {
  bundleCli,
  bundleCommandClasses,
  bundleDaemonModules,
  bundleHook,
  bundleMcp,
  cachedThread,
} from './bundle.js'
import { bundleDaemon } from './bundle-daemon.js'
import { bundleGrammars, grammarNotices } from './bundle-grammars.js'
import { readReference } from './reference/read-reference.js'
import { staleFiles, writeFiles } from './reference/write-files.js'
import { thirdPartyNotices } from './third-party-notices.js'
import { warmCodeCache } from './warm-code-cache.js'
import { warmDaemonCache } from './warm-daemon-cache.js'
import { warmMcpCache } from './warm-mcp-cache.js'
import { warmThreadCache } from './warm-thread-cache.js'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
// Inside node_modules, so that the command classes find @oclif/core and a rename stays on one file system.
const next = join(root, 'node_modules', `.memory-service-build-${process.pid}`)

if (process.argv.includes('--check')) await check()
else await buildAll()

/**
 * Builds into another folder and swaps it with `dist`, so that a running CLI or test never sees a partial
 * build.
 */
async function buildAll() {
  try {
    await mkdir(next, { recursive: true })
    await buildWasm()
    await buildSafetyWords(next)
    const bundled = await Promise.all([
      bundleCli(next),
      bundleHook(next),
      bundleDaemonModules(next),
      bundleMcp(next),
      bundleGrammars(next),
      buildUi(root, join(next, 'ui')),
      buildMcpApp(root, next),
      bundleCommandClasses(next).then(() => []),
    ])
    await writeFiles(root, await readReference(root, next))
    await buildDatabase(next)
    const files = [...bundled.flat(), ...(await bundleDaemon(next))]
    await writeFile(
      join(next, 'THIRD-PARTY-NOTICES.txt'),
      await thirdPartyNotices(root, files, grammarNotices),
    )
    await warmCodeCache(root, join(next, 'cli.cjs'))
    await warmCodeCache(root, join(next, 'everyday.cjs'))
    await warmMcpCache(root, join(next, 'mcp.cjs'))
    await warmDaemonCache(root, join(next, 'daemon.cjs'), files =>
      warmThreadCache(join(next, `${cachedThread}.cjs`), files),
    )
    await rm(join(next, 'command-classes.mjs'))
    await swap()
  } finally {
    await rm(next, { recursive: true, force: true })
  }
}

async function swap() {
  const old = `${next}-old`
  await rename(dist, old).catch(ignoreMissing)
  await rename(next, dist)
  await rm(old, { recursive: true, force: true })
}

/** Fails when checked-in generated files differ from what the build would write now. */
async function check() {
  try {
    await mkdir(next, { recursive: true })
    await bundleCommandClasses(next)
    const stale = await staleFiles(root, await readReference(root, next))
    if (stale.length === 0) return
    console.error(`Generated files are out of date. Run npm run build: ${stale.join(', ')}`)
    process.exitCode = 1
  } finally {
    await rm(next, { recursive: true, force: true })
  }
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error
}
