import type { WorkerLoad } from '../../../contract/operations/pipeline.js'

/** Load and failures of one kind of job since the start; times in milliseconds. */
export interface JobReport extends Omit<WorkerLoad, 'running'> {
  /** Failed attempts that were the job's own fault. */
  failures: number
  /** Per batch: jobs that were leased and done together. */
  latency: { count: number; p50: number; p95: number; p99: number }
}

export interface JobMeter {
  /** Records the start of a batch. @returns a function to call at its end */
  begin(jobs: number): (end: 'done' | 'failed' | 'given_up') => void
  report(): Pick<JobReport, 'inFlight' | 'failures' | 'latency'>
}

/** Number of latest times kept. */
const keptTimes = 512

export function createJobMeter(now: () => number = () => performance.now()): JobMeter {
  const times: number[] = []
  const counts = { inFlight: 0, failures: 0, done: 0 }
  return {
    begin: jobs => {
      const began = now()
      counts.inFlight += jobs
      return end => {
        counts.inFlight -= jobs
        if (end === 'failed') counts.failures += jobs
        if (end !== 'done') return
        times[counts.done % keptTimes] = now() - began
        counts.done++
      }
    },
    report: () => {
      const sorted = [...times].sort((a, b) => a - b)
      const at = (share: number): number =>
        Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0)
      return {
        inFlight: counts.inFlight,
        failures: counts.failures,
        latency: { count: counts.done, p50: at(0.5), p95: at(0.95), p99: at(0.99) },
      }
    },
  }
}
