import { late } from '../../../lib/concurrency/late.js'
import { kept } from '../../../lib/text/kept.js'

/** The zone that this process runs in, by its IANA name. */
const ownZone = late(() => new Intl.DateTimeFormat('en').resolvedOptions().timeZone || 'UTC')

/** Kept by zone: to make one takes longer than all else of a prompt's clock. */
const formatOf = kept(
  timeZone =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      weekday: 'long',
      timeZoneName: 'longOffset',
    }),
)

/**
 * The date and time with its UTC offset and IANA zone, as a session is told them (rules.md 4.10).
 * @param timeZone an IANA name. @returns for example `Current time: 2026-03-29T14:05:09+02:00 (Sunday, Europe/Berlin)`.
 */
export function clockContext(now: Date, timeZone = ownZone()): string {
  const parts = formatOf(timeZone).formatToParts(now)
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const date = [part('year'), part('month'), part('day')].join('-')
  const time = [part('hour'), part('minute'), part('second')].join(':')
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00'
  return `Current time: ${date}T${time}${offset} (${part('weekday')}, UTC${offset}, ${timeZone})`
}
