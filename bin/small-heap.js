'use strict'
const { setFlagsFromString } = require('node:v8')
const nodeFlags = require('./node-flags.json')

/** How much of what was alive after a collection may come on top before the next one, in percent. */
const growth = 50

/**
 * Lets V8 collect before its heap has grown to several times what is alive, as it does by itself where memory is plenty:
 * a process that runs for days in the background shows otherwise 100 MiB that nobody uses. For the threads too. What is
 * young has 4 MiB twice instead of 16, which its main thread only heeds where Node was started so: the file of flags is
 * for those who start it. Called before a code cache is read: V8 refuses one that was made with other flags.
 */
function keepHeapSmall() {
  for (const flag of [`--heap-growing-percent=${growth}`, ...nodeFlags]) setFlagsFromString(flag)
}

exports.keepHeapSmall = keepHeapSmall
