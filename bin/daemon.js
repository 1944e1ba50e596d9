#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { beginIndexThread } = require('./begin-index-thread.js')
const { loadCached } = require('./load-cached.js')
const { keepHeapSmall } = require('./small-heap.js')

beginIndexThread(process.env)
const { started } = loadCached(pathToFileURL(join(__dirname, '..', 'dist', 'daemon.cjs')), {
  // Once it is up: at its end the cache would hold what a long life left of it.
  whenToSave: ({ started }, save) => started.then(save),
  byTag: true,
})
started.then(keepHeapSmall)
