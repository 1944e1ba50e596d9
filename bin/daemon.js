#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { beginIndexThread } = require('./begin-index-thread.js')
const { loadDaemon } = require('./load-daemon.js')
const { recordFirst } = require('./record-node.js')
const { keepHeapSmall, withUsualHeap } = require('./small-heap.js')
const ownEnvironment = require('./daemon-environment.json')

// The system's allocator has read these variables; programs that the daemon starts must not inherit them.
for (const [name, value] of Object.entries(ownEnvironment))
  if (process.env[name] === value) delete process.env[name]
beginIndexThread(process.env)
// Saves the code cache after the start and at each idle time, to include functions that requests ran. A cache
// saved at exit would contain whatever a long run left compiled.
const { started } = loadDaemon(
  pathToFileURL(join(__dirname, '..', 'dist', 'daemon.cjs')),
  ({ started, runWhenIdle }, save) => {
    started.then(save)
    runWhenIdle(() => withUsualHeap(save))
  },
)
started.then(keepHeapSmall).then(recordFirst)
