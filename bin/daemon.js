#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { beginIndexThread } = require('./begin-index-thread.js')
const { loadDaemon } = require('./load-daemon.js')
const { keepHeapSmall, withUsualHeap } = require('./small-heap.js')
const ownEnvironment = require('./daemon-environment.json')

// The system's allocator has read them: they are not for programs that the daemon starts.
for (const [name, value] of Object.entries(ownEnvironment))
  if (process.env[name] === value) delete process.env[name]
beginIndexThread(process.env)
// Once it is up, and whenever it rests, for what requests ran since: at its end the cache would hold what a long life left
// of it.
const { started } = loadDaemon(
  pathToFileURL(join(__dirname, '..', 'dist', 'daemon.cjs')),
  ({ started, whenItRests }, save) => {
    started.then(save)
    whenItRests(() => withUsualHeap(save))
  },
)
started.then(keepHeapSmall)
