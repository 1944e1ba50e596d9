'use strict'
const nodeFlags = require('./node-flags.json')

/** How much of what was alive after a collection may come on top before the next one, in percent. */
const growth = 50

/**
 * Takes back what Node was started with (`node-flags.json`), which its main thread has heeded by then. While any flag of
 * V8 is set Node compiles its own modules instead of taking them from its code cache, which doubles what a start takes.
 */
function forgetNodeFlags() {
  const setFlag = setterOfFlags()
  for (const flag of nodeFlags) setFlag(flag.replace(/=.*/u, '=0'))
}

/**
 * The function of node:v8 without that module, which loads two dozen others: while the flag is set each would be compiled,
 * a tenth of what a start takes. Where Node has no such short way any more it is that module's.
 */
function setterOfFlags() {
  try {
    return process.binding('v8').setFlagsFromString ?? require('node:v8').setFlagsFromString
  } catch {
    return require('node:v8').setFlagsFromString
  }
}

/**
 * Lets V8 collect before its heap has grown to several times what is alive, as it does by itself where memory is plenty:
 * a process that runs for days in the background shows otherwise 100 MiB that nobody uses. For the threads too. What is
 * young has 4 MiB twice instead of 16, which the main thread only heeds where Node was started so. Called once all that a
 * start needs is loaded: V8 refuses a code cache that was made with other flags.
 */
function keepHeapSmall() {
  const { setFlagsFromString } = require('node:v8')
  for (const flag of [`--heap-growing-percent=${growth}`, ...nodeFlags]) setFlagsFromString(flag)
}

module.exports = { forgetNodeFlags, keepHeapSmall }
