import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Nanoseconds of processor time of the reading thread, precise to a few milliseconds; Linux only. */
const threadTime = '/proc/thread-self/schedstat'

/** Processor milliseconds of some work, which other programs on the machine do not affect. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return cpuMsSince(before)
}

/** The minimum of three runs: the first one compiles code, and garbage collection may hit any of them. */
export function leastCpuMsOf(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => cpuMsOf(work)))
}

/** Processor milliseconds of all threads of this process while some work runs. */
export async function cpuMsUntil(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return cpuMsSince(before)
}

/**
 * Processor milliseconds of the longest step of some work. A run with a step over `mostMs` is repeated up to
 * three times, since garbage collection may hit any of them.
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
 * Processor milliseconds of each event loop turn while some work runs, shortest first. They count this
 * thread, or the whole process where the system does not report threads.
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
