import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'

/** What the bundle may use beside globals: CommonJS's five, and import(). */
const parameters = ['exports', 'require', 'module', '__filename', '__dirname', '__import']

/**
 * Loads a CommonJS bundle with V8's code cache beside it, so that nothing is parsed and compiled anew at every
 * start. The cache is one file per V8 version and flags; where none fits (another Node than the build's) it is
 * written when the process ends, and an installation that cannot be written to just starts slower.
 * @param {URL} url of the bundle. @returns its exports. @throws when the bundle is missing.
 */
export function loadCached(url) {
  const file = fileURLToPath(url)
  const cacheFile = cachePath(file)
  const cachedData = readIfThere(cacheFile)
  // Bundles are plain ASCII: latin1 keeps one byte per character and needs no decoding.
  const text = readFileSync(file, 'latin1')
  const source = `(function (${parameters.join(', ')}) {${text}\n})`
  const script = new Script(source, { filename: file, cachedData })
  const module = { exports: {} }
  // A script from a code cache has lost its way to import(): the bundle calls this one.
  const importFrom = specifier => import(specifier.startsWith('.') ? new URL(specifier, url).href : specifier)
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importFrom)
  // At the end, so that the functions of this run are in it.
  if (!cachedData || script.cachedDataRejected) {
    process.once('exit', () =>
      writeCache({ script, cacheFile, isCurrent: () => readFileSync(file, 'latin1') === text }),
    )
  }
  return module.exports
}

function cachePath(file) {
  return `${file}.${process.arch}-${cachedDataVersionTag().toString(16)}.cache`
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

function writeCache({ script, cacheFile, isCurrent }) {
  try {
    // V8 tells sources apart by their length only: a bundle replaced meanwhile must not get this one's cache.
    if (!isCurrent()) return
    const temporary = `${cacheFile}.${process.pid}.tmp`
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, cacheFile)
  } catch {
    // A read-only installation.
  }
}
