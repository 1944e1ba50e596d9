import { createHash } from 'node:crypto'
import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { type ApiFault, isFault } from '../../../ground/fetch/api-fault.js'
import { type Wait, withRetries } from '../../../ground/fetch/with-retries.js'
import type { Pass, ReadArtifact, SourceEvent } from '../core/kind.js'
import type { GithubClient } from './client.js'
import { GithubFault } from './github-fault.js'

/** What the parts of one pass share. */
export interface Reading {
  client: GithubClient
  pass: Pass
  settings: GithubSettings
  /** Tells two tokens apart, and nothing of either: an ETag holds for one of them only. */
  tokenMark: string
  now(): Date
  wait: Wait
}

/** A longer pause is one of the job, which says when it goes on and goes on by itself. */
export const longestWaitMs = 120_000
/** Limits in a row without a reply between them. */
const maxLimits = 6

/**
 * Asks until there is an answer: sits out short limits, saying so in the status of the job, and tries again after faults
 * that pass. @throws ApiFault when it gives up, `limited` for a limit that lasts; the signal's reason
 */
export async function* patiently<T>(
  { wait, now, pass: { signal } }: Pick<Reading, 'wait' | 'now' | 'pass'>,
  ask: () => Promise<T>,
): AsyncGenerator<SourceEvent, T> {
  for (let limits = 0; ; limits++) {
    try {
      return await withRetries(ask, { signal, wait })
    } catch (error) {
      if (!isFault(error, 'limited')) throw error
      const waitMs = pauseOf(error, limits)
      if (waitMs > longestWaitMs || limits === maxLimits) throw error
      const until = new Date(now().getTime() + waitMs).toISOString().slice(11, 19)
      yield { event: 'status', message: `waiting until ${until} UTC: ${error.message}` }
      await wait(waitMs, signal)
    }
  }
}

/** A secondary limit wants longer and longer pauses when the request after one is refused too. */
function pauseOf({ retryAfterMs = 60_000, code }: ApiFault, before: number): number {
  return code === 'secondary' ? retryAfterMs * 2 ** before : retryAfterMs
}

/** What GitHub has of an artifact, as the event that says it: unchanged, or what it is now. */
export async function told(
  { pass }: Pick<Reading, 'pass'>,
  artifact: Omit<ReadArtifact, 'fingerprint'>,
): Promise<SourceEvent> {
  const fingerprint = digest(JSON.stringify(artifact))
  const known = await pass.known(artifact.path)
  if (known?.fingerprint === fingerprint) return { event: 'same', path: artifact.path }
  return { event: 'artifact', artifact: { ...artifact, fingerprint } }
}

/** 128 bits of SHA-256, in hexadecimal digits. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** A fault as the row that health shows. */
export function faultEvent(path: string, fault: ApiFault): SourceEvent {
  const isRecoverable = isFault(fault, 'unreachable', 'limited')
  const guidance = fault instanceof GithubFault ? fault.guidance : undefined
  return { event: 'fault', path, message: fault.message, isRecoverable, ...(guidance && { guidance }) }
}
