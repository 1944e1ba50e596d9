'use strict'
const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { dirname } = require('node:path')
const { fileURLToPath } = require('node:url')
const { cachedDataVersionTag } = require('node:v8')
const { Script } = require('node:vm')

/** What the bundle may use beside globals: CommonJS's five, and import(). */
const parameters = ['exports', 'require', 'module', '__filename', '__dirname', '__import']

/**
 * Loads a CommonJS bundle with V8's code cache beside it, so that nothing is parsed and compiled anew at every
 * start. The cache is one file per bundle, V8 version and flags; where none fits (another Node than the build's) it is
 * written, and an installation that cannot be written to just starts slower.
 * @param {URL} url of the bundle.
 * @param {{ whenToSave?: (exports: any, save: () => void) => void }} options When `save`, which holds the event loop
 * for some 50 ms, is called: the cache then holds the functions that ran. Without it when the process ends.
 * @returns its exports. @throws when the bundle is missing.
 */
function loadCached(url, { whenToSave = atEnd } = {}) {
  const file = fileURLToPath(url)
  // Bundles are plain ASCII: latin1 keeps one byte per character and needs no decoding.
  const text = readFileSync(file, 'latin1')
  const cacheFile = cachePath(file, text)
  const cachedData = readIfThere(cacheFile)
  const source = `(function (${parameters.join(', ')}) {${text}\n})`
  const script = new Script(source, { filename: file, cachedData })
  const module = { exports: {} }
  // A script from a code cache has lost its way to import(): the bundle calls this one.
  const importFrom = specifier => import(specifier.startsWith('.') ? new URL(specifier, url).href : specifier)
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importFrom)
  if (!cachedData || script.cachedDataRejected)
    whenToSave(module.exports, () => writeCache(script, cacheFile))
  return module.exports
}

exports.loadCached = loadCached

function atEnd(_exports, save) {
  process.once('exit', save)
}

/** V8 tells sources apart by their length only: the mark that the build puts at the end tells whose cache it is. */
function cachePath(file, text) {
  const mark = /[0-9a-f]{16}$/.exec(text.slice(-16)) ?? 'unmarked'
  return `${file}.${mark}-${process.arch}-${cachedDataVersionTag().toString(16)}.cache`
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

function writeCache(script, cacheFile) {
  const temporary = `${cacheFile}.${process.pid}.tmp`
  try {
    // Before the compiled code is asked for, which takes a while: a read-only installation is spared that.
    writeFileSync(temporary, '')
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, cacheFile)
  } catch {
    rmSync(temporary, { force: true })
  }
}
