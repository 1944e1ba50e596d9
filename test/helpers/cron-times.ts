import { nextTime } from '../../src/lib/time/cron.js'

/** All times of a schedule within a span. */
export function timesOf(expression: string, zone: string, from: number, to: number): number[] {
  const times: number[] = []
  for (let at = nextTime(expression, zone, new Date(from)); at && at.getTime() < to; ) {
    times.push(at.getTime())
    at = nextTime(expression, zone, at)
  }
  return times
}
