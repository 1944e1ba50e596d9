import { setImmediate as nextTurn } from 'node:timers/promises'
import { types } from 'node:util'
import test from 'ava'

const turns = { taken: 0, waiting: [] }

/**
 * What a test file of a shared process has in the place of ava: its titles say its name, and its tests wait for a turn.
 * @param atOnce how many tests of the process run at once
 */
export function testsOf(file, atOnce) {
  return wrapped(test, { file, atOnce })
}

function wrapped(declare, group) {
  return new Proxy(declare, {
    apply: (_declare, self, args) =>
      Reflect.apply(
        declare,
        self,
        args.map((value, index) => inGroup(value, index, group)),
      ),
    get: (_declare, key) =>
      typeof declare[key] === 'function' ? wrapped(declare[key], group) : declare[key],
  })
}

/** The title, or the body behind it; what comes after them is the body's. */
function inGroup(value, index, { file, atOnce }) {
  if (index === 0 && typeof value === 'string') return `${file} › ${value}`
  return index < 2 && typeof value === 'function' ? inTurn(value, atOnce) : value
}

/** Synchronous tests run before any that wait, since they would delay deadlines. */
function inTurn(body, atOnce) {
  return async (t, ...rest) => {
    if (types.isAsyncFunction(body)) await nextTurn()
    await turn(atOnce)
    // Teardowns run last first: what the test cleans up belongs to its turn.
    t.teardown(passOn)
    return body(t, ...rest)
  }
}

function turn(atOnce) {
  if (turns.taken < atOnce) {
    turns.taken += 1
    return undefined
  }
  return new Promise(resolve => turns.waiting.push(resolve))
}

function passOn() {
  const next = turns.waiting.shift()
  if (next) next()
  else turns.taken -= 1
}
