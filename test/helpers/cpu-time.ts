import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Of the thread that reads it: nanoseconds on a processor, to a few milliseconds. Linux alone has it. */
const threadTime = '/proc/thread-self/schedstat'

/** Milliseconds of processor time that some work takes: other programs on the machine say nothing about it. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return cpuMsSince(before)
}

/** The least of three times: the first run compiles what it needs, and the collector may come into any. */
export function leastCpuMsOf(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => cpuMsOf(work)))
}

/**
 * Processor time of each turn of the event loop while some work goes on, in milliseconds, shortest first: of this thread
 * where the system tells that, else of all threads of the process.
 */
export async function cpuMsOfTurns(work: Promise<unknown>): Promise<number[]> {
  const turns: number[] = []
  const state = { done: false }
  const ended = work.finally(() => {
    state.done = true
  })
  while (!state.done) {
    const before = turnClock()
    await nextTurn()
    turns.push(turnClock() - before)
  }
  await ended
  return turns.sort((a, b) => a - b)
}

const turnClock = existsSync(threadTime)
  ? (): number => Number.parseInt(readFileSync(threadTime, 'utf8'), 10) / 1_000_000
  : (): number => cpuMsSince({ user: 0, system: 0 })

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
