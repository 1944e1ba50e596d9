import { setImmediate as nextTurn } from 'node:timers/promises'

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

/** Processor time of each turn of the event loop while some work goes on, in milliseconds, shortest first. */
export async function cpuMsOfTurns(work: Promise<unknown>): Promise<number[]> {
  const turns: number[] = []
  const state = { done: false }
  const ended = work.finally(() => {
    state.done = true
  })
  while (!state.done) {
    const before = process.cpuUsage()
    await nextTurn()
    turns.push(cpuMsSince(before))
  }
  await ended
  return turns.sort((a, b) => a - b)
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
