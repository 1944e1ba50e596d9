import { signal } from '@preact/signals'
import { formatAge } from '../../lib/time/age.js'

const tickMs = 30_000
const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, tickMs)

/** A relative time, with the exact one on hover and for screen readers; a dash if it is missing. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="dim">–</span>
  // A time after the last tick must not appear to be in the future.
  const age = formatAge(at, Math.max(now.value, Math.min(Date.parse(at), Date.now())))
  return (
    <time dateTime={at} title={exact(at)}>
      {age}
    </time>
  )
}

function exact(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? at
    : date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
}
