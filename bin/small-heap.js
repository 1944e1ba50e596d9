'use strict'
const { setFlagsFromString } = require('node:v8')

/** How much of what was alive after a collection may come on top before the next one, in percent. */
const growth = 60

/**
 * Lets V8 collect before its heap has grown to several times what is alive, as it does by itself where memory is plenty:
 * a process that runs for days in the background shows otherwise 100 MiB that nobody uses. For the threads too. Called
 * before a code cache is read: V8 refuses one that was made with other flags.
 */
function keepHeapSmall() {
  setFlagsFromString(`--heap-growing-percent=${growth}`)
}

exports.keepHeapSmall = keepHeapSmall
