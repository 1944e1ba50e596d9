import type { Run, RunEach } from '../sql/direct-executor.js'

/** Rows of one insert, and its parameters: the protocol takes 65,535. */
const rowsTogether = 500
const parametersTogether = 30_000

/**
 * Inserts many rows with one statement; the server would answer each row of its own.
 * @param nameOf names a parameter in the statement, and may replace it
 */
export function manyAtOnce(run: Run, nameOf = nameOfParameter): RunEach {
  return async ({ beginning, ending }, rows, breathe) => {
    let together: (readonly unknown[])[] = []
    const send = async (): Promise<void> => {
      const sent = together
      together = []
      if (sent.length === 0) return
      const parameters = sent.flat()
      let place = 0
      const next = (): string => nameOf(parameters, place++)
      const places = sent.map(row => `(${row.map(next).join(', ')})`)
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

/** @param at from 0 */
export function nameOfParameter(_parameters: unknown[], at: number): string {
  return `$${at + 1}`
}
