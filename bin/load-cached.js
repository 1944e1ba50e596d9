'use strict'
const { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { fileURLToPath } = require('node:url')
const { Script } = require('node:vm')

/**
 * Loads a CommonJS bundle with V8's code cache beside it, so that nothing is parsed and compiled anew at every
 * start. The cache is one file per bundle, V8 version and flags; where none fits (another Node than the build's) it is
 * written, and an installation that cannot be written to just starts slower.
 * @param {URL} url of the bundle: a function of CommonJS's five names, import() and `rest`, as `scripts/script-text.js`
 * wraps it.
 * @param {{ whenToSave?: (exports: any, save: () => void) => void, byTag?: boolean, rest?: URL }} options When `save`,
 * which holds the event loop for some 50 ms, is called: the cache then holds the functions that ran, and a later call
 * replaces one that holds less. Without it when the process ends. `byTag`: flags that Node was started with are no longer
 * in force. `rest`: the file with what is read when it is asked for.
 * @returns its exports. @throws when the bundle is missing.
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
  // Packages are found from here as from there; `createRequire` would load Node's loader of modules.
  const requireFrom = name => require(name.startsWith('.') ? join(folder, name) : name)
  // A script from a code cache has lost its way to import(): the bundle calls this one.
  const importFrom = name => import(name.startsWith('.') ? new URL(name, url).href : name)
  const readRest = rest && openRest(rest)
  script.runInThisContext()(module.exports, requireFrom, module, file, folder, importFrom, readRest)
  if (!cachedData || script.cachedDataRejected) {
    const written = { bytes: 0 }
    whenToSave(module.exports, () => {
      // V8 takes none that was made while other flags were set than at its start.
      if (cachePathNow() === cacheFile) writeCache(script, cacheFile, written)
    })
  }
  return module.exports
}

/**
 * What gives a part of a file as the function that stands there. The file stays open from the start on: an update may
 * replace it while the program runs, for days, and what comes from it has to fit. Windows replaces no file that is open:
 * there it is found by its name.
 */
function openRest(url) {
  const filename = fileURLToPath(url)
  const open = () => openSync(filename, 'r')
  const held = process.platform === 'win32' ? undefined : open()
  return (begin, length, lineOffset) => {
    const bytes = Buffer.allocUnsafe(length)
    const descriptor = held ?? open()
    const read = readSync(descriptor, bytes, 0, length, begin)
    if (descriptor !== held) closeSync(descriptor)
    return new Script(bytes.latin1Slice(0, read), { filename, lineOffset }).runInThisContext()
  }
}

exports.loadCached = loadCached

function atEnd(_exports, save) {
  process.once('exit', save)
}

/**
 * V8 tells sources apart by their length only: the mark that the build puts at the end tells whose cache it is. To ask
 * V8 for the tag of its version and flags loads modules of Node that a short command has no other use for: with the
 * usual flags its version says enough, and what V8 does not take is written anew.
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

/** @param written how large the one is that was written before; one that is no larger is not worth its place. */
function writeCache(script, cacheFile, written) {
  const temporary = `${cacheFile}.${process.pid}.tmp`
  try {
    // Before the compiled code is asked for, which takes a while: a read-only installation is spared that.
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
