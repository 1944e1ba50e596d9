'use strict'
const { openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { fileURLToPath } = require('node:url')
const { Script } = require('node:vm')

/**
 * Loads a CommonJS bundle with V8's code cache beside it, which saves parsing and compiling at every start.
 * There is one cache file per bundle, V8 version and flags. A missing one is written; an installation without
 * write access only starts slower.
 * @param {URL} url of the bundle: a function of CommonJS's five names, import() and `rest`, as
 * `scripts/script-text.js` wraps it.
 * @param {{ whenToSave?: (exports: any, save: () => void) => void, byTag?: boolean, rest?: URL }} options
 * `whenToSave` decides when `save` runs, by default at exit. `save` blocks the event loop for about 50 ms and
 * stores the functions that ran; a later call replaces a smaller cache. `byTag`: V8 flags may have changed
 * since Node started. `rest`: the file whose parts are read on demand.
 * @returns the bundle's exports. @throws when the bundle is missing.
 */
function loadCached(url, { whenToSave = atEnd, byTag = process.execArgv.length > 0, rest } = {}) {
  const file = fileURLToPath(url)
  // Bundles are plain ASCII: latin1 keeps one byte per character and needs no decoding.
  const text = readFileSync(file, 'latin1')
  const cachePathNow = () => cachePath(file, text, byTag || process.env.NODE_OPTIONS)
  const cacheFile = cachePathNow()
  const cachedData = readIfThere(cacheFile)
  const script = new Script(text, { filename: file, cachedData })
  const module = { exports: {} }
  const folder = dirname(file)
  // Packages resolve from here as from the bundle; `createRequire` would load Node's module loader.
  const requireFrom = name => require(name.startsWith('.') ? join(folder, name) : name)
  // A script from a code cache cannot call import() itself, so the bundle calls this function.
  const importFrom = name => import(name.startsWith('.') ? new URL(name, url).href : name)
  const readRest = rest && openRest(rest)
  script.runInThisContext()(module.exports, requireFrom, module, file, folder, importFrom, readRest)
  if (!cachedData || script.cachedDataRejected) {
    const written = { bytes: 0 }
    whenToSave(module.exports, () => {
      // V8 rejects a cache made under other flags than those at its start.
      if (cachePathNow() === cacheFile) writeCache(script, cacheFile, written)
    })
  }
  return module.exports
}

/**
 * Returns a function that reads a part of the file and compiles it. The file stays open, since an update may
 * replace it while the program runs and parts must fit together. Windows cannot replace an open file, so
 * there its text is kept in memory.
 */
function openRest(url, platform = process.platform) {
  const filename = fileURLToPath(url)
  const partOf = platform === 'win32' ? keptText(filename) : openText(filename)
  return (begin, length, lineOffset) =>
    new Script(partOf(begin, length), { filename, lineOffset }).runInThisContext()
}

function keptText(filename) {
  const text = readFileSync(filename)
  return (begin, length) => text.latin1Slice(begin, begin + length)
}

function openText(filename) {
  const descriptor = openSync(filename, 'r')
  return (begin, length) => {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.latin1Slice(0, readSync(descriptor, bytes, 0, length, begin))
  }
}

exports.loadCached = loadCached
exports.openRest = openRest

function atEnd(_exports, save) {
  process.once('exit', save)
}

/**
 * V8 tells sources apart only by length, so the mark that the build appends identifies the cache's bundle.
 * Asking V8 for its version tag loads Node modules that a short command does not need. With default flags the
 * version is enough, since V8 rejects a wrong cache and it is written again.
 */
function cachePath(file, text, byTag) {
  const mark = /[0-9a-f]{16}$/.exec(text.slice(-16)) ?? 'unmarked'
  const tag = byTag ? require('node:v8').cachedDataVersionTag().toString(16) : process.versions.v8
  return `${file}.${mark}-${process.arch}-${tag}.cache`
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** @param written size of the cache written before; a new one that is not larger is discarded */
function writeCache(script, cacheFile, written) {
  const temporary = `${cacheFile}.${process.pid}.tmp`
  try {
    // Creating the compiled code takes a while, so a read-only installation fails before that.
    writeFileSync(temporary, '')
    const data = script.createCachedData()
    if (data.length <= written.bytes) return rmSync(temporary)
    writeFileSync(temporary, data)
    renameSync(temporary, cacheFile)
    written.bytes = data.length
  } catch {
    rmSync(temporary, { force: true })
  }
}
