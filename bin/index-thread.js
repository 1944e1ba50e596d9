'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { loadCached } = require('./load-cached.js')

// The worker thread of a large index, which a start waits for; dist/daemon.cjs starts it.
loadCached(pathToFileURL(join(__dirname, '..', 'dist', 'index-thread.cjs')), {
  whenToSave: ({ filled }, save) => filled.then(save),
  byTag: true,
})
