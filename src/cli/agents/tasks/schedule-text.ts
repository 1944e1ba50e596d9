import { ownZone } from '../../../lib/time/time.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'

/** Schedules of tasks in words. */
export interface Schedules {
  /** IANA name. */
  zone: string
  /** Returns why a text is not a schedule; undefined if it is valid. */
  faultOf(expression: string): string | undefined
  /** Formats the next three times of a valid schedule. */
  nextOf(expression: string): string
}

const shownTimes = 3
const dayMs = 86_400_000

/** Creates schedules in the time zone of a workspace's daemon. @throws CliError if agent.yaml is faulty. */
export async function openSchedules(workspace: string | undefined, now: Date): Promise<Schedules> {
  // Settings load YAML and schemas, which other commands do not need.
  const [{ cronFault, nextTime }, { readSetting }] = await Promise.all([
    import('../../../lib/time/cron.js'),
    import('../../operations/config.js'),
  ])
  const own = ownZone()
  const set = process.env.SERVICE_DAEMON_URL
    ? undefined
    : readSetting(workspacePaths(workspace).settings, 'tasks.timezone')
  const zone = typeof set === 'string' ? set : own
  return {
    zone,
    faultOf: cronFault,
    nextOf: expression => {
      const times: Date[] = []
      for (let at: Date | undefined = now; at && times.length < shownTimes; ) {
        at = nextTime(expression, zone, at)
        if (at) times.push(at)
      }
      const words = times.map(time => timeText(time, now, zone)).join(', ')
      return zone === own ? words : `${words} (${zone})`
    },
  }
}

/** `today 18:00`, `tomorrow 09:00`, `Fri 09:00`, `1 Mar 09:00`, `1 Mar 2028 09:00`. */
export function timeText(time: Date, now: Date, zone: string): string {
  const part = (at: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at)
  const dayOf = (at: Date) => Date.parse(part(at, { dateStyle: 'short' }).split('/').reverse().join('-'))
  const clock = part(time, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const days = Math.round((dayOf(time) - dayOf(now)) / dayMs)
  if (days <= 1) return `${days === 0 ? 'today' : 'tomorrow'} ${clock}`
  if (days < 7) return `${part(time, { weekday: 'short' })} ${clock}`
  const sameYear = part(time, { year: 'numeric' }) === part(now, { year: 'numeric' })
  return `${part(time, { day: 'numeric', month: 'short', ...(!sameYear && { year: 'numeric' }) })} ${clock}`
}
