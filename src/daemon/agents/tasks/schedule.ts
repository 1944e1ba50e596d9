import { nextTime } from '../../../lib/cron.js'
import type { Ground } from '../../ground/ground.js'

type Deps = Pick<Ground, 'configuration'>

/** The time zone of schedules: of the settings, or the machine's (tasks.md#cron). */
export function zoneOf({ configuration }: Deps): string {
  return configuration().settings.tasks.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** When a schedule comes next after a time, ISO 8601; null when it never does. */
export function nextRunAt(expression: string, zone: string, after: Date): string | null {
  return nextTime(expression, zone, after)?.toISOString() ?? null
}
