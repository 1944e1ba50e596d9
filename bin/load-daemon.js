'use strict'
const { loadCached } = require('./load-cached.js')

const restOf = url => new URL('daemon-rest.cjs', url)

/**
 * @param {URL} url of the daemon's script; the rest of the program lies beside it.
 * @param {(exports: any, save: () => void) => void} whenToSave see `loadCached`.
 */
function loadDaemon(url, whenToSave) {
  return loadCached(url, { whenToSave, byTag: true, rest: restOf(url) })
}

module.exports = { loadDaemon }
