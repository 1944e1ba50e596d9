'use strict'
const { loadCached } = require('./load-cached.js')

/**
 * @param {URL} url of the daemon's script; the rest of the program is beside it.
 * @param {(exports: any, save: () => void) => void} whenToSave see `loadCached`.
 */
function loadDaemon(url, whenToSave) {
  return loadCached(url, { whenToSave, byTag: true, rest: new URL('daemon-rest.cjs', url) })
}

module.exports = { loadDaemon }
