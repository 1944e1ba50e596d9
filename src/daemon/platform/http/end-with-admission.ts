import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** How long a stream may outlive the credential that opened it. */
export const admissionPrecisionMs = 2000

interface Options {
  /** Checks whether the stream's opener would still be admitted. */
  isAdmitted(): Promise<boolean>
  log: Pick<Logger, 'warn'>
  timers?: Timers
}

/** Ends a stream soon after its reader loses access (security.md 5.2). A failed check does not end it. */
export function endWithAdmission(
  stream: Readable,
  { isAdmitted, log, timers = systemTimers }: Options,
): void {
  let asking = false
  const look = async (): Promise<void> => {
    if (asking) return
    asking = true
    try {
      if (!(await isAdmitted())) stream.destroy()
    } catch (error) {
      log.warn({ err: error }, 'access of a stream reader could not be checked')
    } finally {
      asking = false
    }
  }
  const stop = timers.every(admissionPrecisionMs, () => void look())
  stream.once('close', stop)
}
