import test from 'ava'

/** More daemons at once in one process would only keep each other waiting, and their heaps full. */
const atOnce = 8

const turns = { taken: 0, waiting: [] }

/** What a test file of a shared process has in the place of ava: its titles say its name, and its tests wait for a turn. */
export function testsOf(file) {
  return wrapped(test, file)
}

function wrapped(declare, file) {
  return new Proxy(declare, {
    apply: (_declare, self, args) =>
      Reflect.apply(
        declare,
        self,
        args.map((value, index) => inGroup(value, index, file)),
      ),
    get: (_declare, key) => (typeof declare[key] === 'function' ? wrapped(declare[key], file) : declare[key]),
  })
}

/** The title, or the body behind it; what comes after them is the body's. */
function inGroup(value, index, file) {
  if (index === 0 && typeof value === 'string') return `${file} › ${value}`
  return index < 2 && typeof value === 'function' ? inTurn(value) : value
}

function inTurn(body) {
  return async (t, ...rest) => {
    await turn()
    // Teardowns run last first: what the test cleans up belongs to its turn.
    t.teardown(passOn)
    return body(t, ...rest)
  }
}

function turn() {
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
