import type { Run, RunEach } from '../sql/direct-executor.js'
import { placeOfUpcoming } from '../sql/upcoming.js'

/** Rows of one insert, and its parameters: the protocol takes 65,535. */
const rowsTogether = 500
const parametersTogether = 30_000

/** Inserts many rows with one statement; the server would answer each row of its own. */
export function manyAtOnce(run: Run): RunEach {
  return async ({ beginning, ending }, rows, breathe) => {
    let together: (readonly unknown[])[] = []
    const send = async (): Promise<void> => {
      const sent = together
      together = []
      if (sent.length === 0) return
      const parameters = sent.flat()
      let place = 0
      const placeFor = (): string => placeOf(parameters, place++)
      const places = sent.map(row => `(${row.map(placeFor).join(', ')})`)
      await run({ sql: `${beginning}${places.join(', ')}${ending}`, parameters })
    }
    for (const row of rows) {
      together.push([...row])
      if (together.length >= Math.min(rowsTogether, parametersTogether / row.length)) await send()
      const pause = breathe?.()
      if (pause) await pause
    }
    await send()
  }
}

/** The name by which statements of a transaction read the number of the change before it. */
export const changeBefore = 'memory.change_before'

/** Returns how a statement names a parameter; of an upcoming number the server gets the distance. */
function placeOf(parameters: unknown[], at: number): string {
  const name = `$${at + 1}`
  const distance = placeOfUpcoming(parameters[at])
  if (distance === undefined) return name
  parameters[at] = distance
  return `current_setting('${changeBefore}')::bigint + ${name}`
}
