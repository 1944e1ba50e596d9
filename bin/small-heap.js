'use strict'

const flags = {
  /** How much of what was alive after a collection may come on top before the next one, in percent. */
  'heap-growing-percent': 50,
  /** In MiB. */
  'max-semi-space-size': 4,
}

/**
 * Lets V8 collect before its heap has grown to several times what is alive, as it does by itself where memory is plenty:
 * a process that runs for days in the background shows otherwise 100 MiB that nobody uses. For the threads too, where what
 * is young has 4 MiB twice from then on. Called once all that a start needs is loaded: while a flag is set Node compiles
 * its own modules instead of taking them from its code cache, and V8 refuses a code cache that was made without.
 */
function keepHeapSmall() {
  set(Object.entries(flags))
}

/** Runs `work` with these flags as they were at the start, which is what V8 asks of a code cache. */
function withUsualHeap(work) {
  // 0 is V8's own value.
  set(Object.keys(flags).map(flag => [flag, 0]))
  try {
    work()
  } finally {
    keepHeapSmall()
  }
}

function set(values) {
  const { setFlagsFromString } = require('node:v8')
  for (const [flag, value] of values) setFlagsFromString(`--${flag}=${value}`)
}

module.exports = { keepHeapSmall, withUsualHeap }
