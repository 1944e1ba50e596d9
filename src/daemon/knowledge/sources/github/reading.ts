import { createHash } from 'node:crypto'
import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { type ApiFault, isFault, type Wait, withRetries } from '../../../ground/fetch/api-faults.js'
import type { Pass, ReadArtifact, SourceEvent } from '../core/kind.js'
import type { GithubClient } from './client.js'
import { GithubFault } from './github-fault.js'

/** State shared by the parts of one pass. */
export interface GithubPass {
  client: GithubClient
  pass: Pass
  settings: GithubSettings
  /** A digest that distinguishes tokens without revealing them: an ETag is valid for one token only. */
  tokenMark: string
  now(): Date
  wait: Wait
}

/** The job pauses for longer delays and resumes by itself. */
export const longestWaitMs = 120_000
/** Limits in a row without a successful reply. */
const maxLimits = 6

/**
 * Sends a request until it succeeds: waits for short limits, reporting them in the job's status, and retries
 * after temporary faults.
 * @throws ApiFault after the last retry, `limited` for a lasting limit; the signal's reason
 */
export async function* withLimitWaits<T>(
  { wait, now, pass: { signal } }: Pick<GithubPass, 'wait' | 'now' | 'pass'>,
  ask: () => Promise<T>,
): AsyncGenerator<SourceEvent, T> {
  for (let limits = 0; ; limits++) {
    try {
      return await withRetries(ask, { signal, wait })
    } catch (error) {
      if (!isFault(error, 'limited')) throw error
      const waitMs = limitDelay(error, limits)
      if (waitMs > longestWaitMs || limits === maxLimits) throw error
      const until = new Date(now().getTime() + waitMs).toISOString().slice(11, 19)
      yield { event: 'status', message: `waiting until ${until} UTC: ${error.message}` }
      await wait(waitMs, signal)
    }
  }
}

/** Repeated secondary limits need growing delays. */
function limitDelay({ retryAfterMs = 60_000, code }: ApiFault, before: number): number {
  return code === 'secondary' ? retryAfterMs * 2 ** before : retryAfterMs
}

/** Makes the event of an artifact: unchanged, or its new content. */
export async function artifactEvent(
  { pass }: Pick<GithubPass, 'pass'>,
  artifact: Omit<ReadArtifact, 'fingerprint'>,
): Promise<SourceEvent> {
  const fingerprint = digest(JSON.stringify(artifact))
  const known = await pass.known(artifact.path)
  if (known?.fingerprint === fingerprint) return { event: 'same', path: artifact.path }
  return { event: 'artifact', artifact: { ...artifact, fingerprint } }
}

/** Returns 128 bits of SHA-256 as hexadecimal digits. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Makes the fault event that health shows. */
export function faultEvent(path: string, fault: ApiFault): SourceEvent {
  const isRecoverable = isFault(fault, 'unreachable', 'limited')
  const guidance = fault instanceof GithubFault ? fault.guidance : undefined
  return { event: 'fault', path, message: fault.message, isRecoverable, ...(guidance && { guidance }) }
}
