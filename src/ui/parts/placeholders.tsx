import type { ComponentChildren } from 'preact'
import type { StaysAt } from '../../contract/ground/fields.js'
import { staysText } from '../../lib/text/node-states.js'
import type { ApiError } from '../api/api-error.js'

/** An empty list, with advice as children. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

/** A note below a list whose entries stay with one daemon; nothing without other daemons. */
export function Stays({ stays, things }: { stays: StaysAt | undefined; things: string }) {
  const text = staysText(stays, things)
  return text === undefined ? null : <p class="dim words">{text}</p>
}

interface ProgressProps {
  /** Description for screen readers. */
  label: string
  done: number
  /** Null while it is unknown. */
  total: number | null
}

/** The progress of an operation as a bar and in figures. */
export function Progress({ label, done, total }: ProgressProps) {
  const reached = total === null ? undefined : Math.min(done, total)
  return (
    <span class="progress">
      <progress aria-label={label} {...(total !== null && { max: Math.max(1, total), value: reached })} />
      <span class="dim">
        {total === null
          ? done.toLocaleString()
          : `${(reached ?? 0).toLocaleString()} of ${total.toLocaleString()}`}
      </span>
    </span>
  )
}

/** Placeholder for loading content; it appears with a delay, to avoid flicker. */
export function Loading({ words = 'Loading…' }: { words?: string }) {
  return (
    <p class="loading" role="status">
      {words}
    </p>
  )
}

/** An error and the next step. */
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  const details = error.details.filter(line => line !== error.message)
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {details.length > 0 && (
        <ul>
          {details.map(line => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <p>{error.next}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
