import { monitorEventLoopDelay } from 'node:perf_hooks'

export async function timed<T>(work: () => T): Promise<{ ms: number; result: Awaited<T> }> {
  const start = performance.now()
  const result = await work()
  return { ms: performance.now() - start, result }
}

/** Processor milliseconds of this process so far; more reliable than the clock on a busy machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const calibrationRounds = 30_000_000

/**
 * Processor milliseconds of a fixed calculation. Expressed as multiples of it, figures of two machines can be
 * compared.
 */
export function calibrationMs(): number {
  const before = cpuMs()
  let mixed = 1
  for (let round = 0; round < calibrationRounds; round++)
    mixed = (Math.imul(mixed ^ (mixed >>> 15), mixed | 1) + round) | 0
  // Using the result keeps the compiler from removing the loop.
  return mixed === 0 ? Number.NaN : cpuMs() - before
}

/** @param share 0.5 for the median */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Bytes of live objects and buffers, after a garbage collection if the process allows one (`--expose-gc`).
 */
export function liveBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Measures the event loop delay while `work` runs: 99th percentile and maximum in milliseconds. */
export async function loopDelayDuring(work: () => Promise<void>): Promise<{ p99Ms: number; maxMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 2 })
  delay.enable()
  await work()
  delay.disable()
  return { p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 }
}
