import { setImmediate as nextTurn } from 'node:timers/promises'
import { types } from 'node:util'
import test from 'ava'

const turns = { taken: 0, waiting: [] }

/**
 * Replaces ava in a test file of a shared process: titles get the file's name, and tests wait for a turn.
 * @param atOnce number of concurrent tests in the process
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

/** Handles the title and the body; later arguments belong to the body. */
function inGroup(value, index, { file, atOnce }) {
  if (index === 0 && typeof value === 'string') return `${file} › ${value}`
  return index < 2 && typeof value === 'function' ? inTurn(value, atOnce) : value
}

/** Synchronous tests run before any that wait, since they would delay deadlines. */
function inTurn(body, atOnce) {
  return async (t, ...rest) => {
    if (types.isAsyncFunction(body)) await nextTurn()
    await turn(atOnce)
    // Teardowns run last first, so registering this one first keeps the test's cleanup within its turn.
    t.teardown(endTurn)
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

function endTurn() {
  const next = turns.waiting.shift()
  if (next) next()
  else turns.taken -= 1
}
