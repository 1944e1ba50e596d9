// Preloaded into a daemon whose clock runs behind: the screenshots show a month of work that takes a minute.
// The file of `MOVED_CLOCK` has the milliseconds.
import { readFileSync } from 'node:fs'

const { MOVED_CLOCK } = process.env
const everyMs = 20

if (MOVED_CLOCK) {
  const TrueDate = Date
  let back = 0
  const read = () => {
    back = Number(readFileSync(MOVED_CLOCK, 'utf8')) || 0
  }
  read()
  setInterval(read, everyMs).unref()
  globalThis.Date = class extends TrueDate {
    constructor(...given) {
      super(...(given.length === 0 ? [TrueDate.now() - back] : given))
    }

    static now() {
      return TrueDate.now() - back
    }
  }
}
