'use strict'

/** How much of what was alive after a collection may come on top before the next one, in percent. */
const growth = 50

/**
 * Lets V8 collect before its heap has grown to several times what is alive, as it does by itself where memory is plenty:
 * a process that runs for days in the background shows otherwise 100 MiB that nobody uses. For the threads too, where what
 * is young has 4 MiB twice from then on. Called once all that a start needs is loaded: while a flag is set Node compiles
 * its own modules instead of taking them from its code cache, and V8 refuses a code cache that was made without.
 */
function keepHeapSmall() {
  const { setFlagsFromString } = require('node:v8')
  for (const flag of [`--heap-growing-percent=${growth}`, '--max-semi-space-size=4']) setFlagsFromString(flag)
}

module.exports = { keepHeapSmall }
