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

/** Processor time that all threads of this process take while some work goes on, in milliseconds. */
export async function cpuMsUntil(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return cpuMsSince(before)
}

/**
 * Processor time of the longest step of some work, in milliseconds. Work with one longer than `mostMs` is done again, three
 * times at most, since the collector may come into any run.
 */
export function longestStepMs(steps: () => Iterator<unknown>, mostMs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && least > mostMs; run++) least = Math.min(least, longestOf(steps()))
  return least
}

function longestOf(steps: Iterator<unknown>): number {
  let longest = 0
  for (let isDone = false; !isDone; ) {
    const before = turnClock()
    isDone = steps.next().done === true
    longest = Math.max(longest, turnClock() - before)
  }
  return longest
}

/**
 * Processor time of each turn of the event loop while some work goes on, in milliseconds, shortest first: of this thread
 * where the system tells that, else of all threads of the process.
 */
export async function cpuMsOfTurns(work: Promise<unknown>): Promise<number[]> {
  const turns: number[] = []
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  while (!done) {
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
