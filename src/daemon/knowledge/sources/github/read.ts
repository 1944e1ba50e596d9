import { AppError } from '../../../../contract/ground/errors.js'
import type { CodeRepoSettings } from '../../../../contract/knowledge/github.js'
import { ApiFault } from '../../../ground/fetch/api-fault.js'
import type { Wait } from '../../../ground/fetch/api-wait.js'
import { resolveToken } from '../../../ground/secrets/resolve-token.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { apiAddress } from './api-address.js'
import { createClient } from './client.js'
import { endsPass, isUnanswered } from './github-fault.js'
import { type Part, partsOf } from './parts.js'
import { digest, faultEvent, type Reading } from './reading.js'

/**
 * One pass over repositories, resource by resource. What fails in one leaves the others alone, and the job says so at its
 * end; a limit that lasts pauses the job, which goes on by itself. @throws SourceFailure, the signal's reason
 */
export async function* readRepos(
  { clock, configuration, wait }: Pick<KindDeps, 'clock' | 'configuration'> & { wait: Wait },
  { settings }: Source<CodeRepoSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const token = await tokenOf(settings, pass)
  if (token instanceof AppError) return yield* withoutToken(token)
  const { apiBaseUrl } = configuration().settings.sources.coderepo
  const address = apiAddress(apiBaseUrl, { hasToken: token !== undefined })
  const now = (): number => clock().getTime()
  const client = createClient({ address, token, signal: pass.signal, now })
  const reading: Reading = {
    client,
    pass,
    settings,
    tokenMark: digest(token ?? 'anonymous'),
    now: clock,
    wait,
  }
  try {
    yield* readParts(reading)
  } finally {
    await client.close()
  }
}

async function* readParts(reading: Reading): AsyncGenerator<SourceEvent> {
  const { settings } = reading
  const failed: string[] = []
  for (const repo of settings.repos) {
    for (const part of partsOf(repo, settings)) {
      if (part.needs && failed.includes(part.needs)) continue
      try {
        yield* part.isWanted ? part.read(reading) : forget(reading, part)
      } catch (error) {
        if (!(error instanceof ApiFault)) throw error
        if (error.kind === 'limited') return yield* pauseAt(part, error, 'rate_limited')
        failed.push(part.key)
        yield faultEvent(part.key, error)
        if (isUnanswered(error)) return yield* pauseAt(part, error, 'provider_unavailable')
        if (endsPass(error)) return yield { event: 'failed', message: error.message }
      }
    }
  }
  if (failed.length > 0)
    yield { event: 'failed', message: `not read: ${failed.join(', ')}; memory sources show says why` }
}

/** The job goes on by itself: when GitHub said so, else after a while that grows. */
function* pauseAt(
  { key }: Part,
  { message, retryAfterMs }: ApiFault,
  reason: 'rate_limited' | 'provider_unavailable',
): Generator<SourceEvent> {
  yield { event: 'status', message }
  yield { event: 'pause', reason, frontier: key, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** What the settings no longer ask for goes, once. */
async function* forget({ pass }: Reading, { key, prefixes }: Part): AsyncGenerator<SourceEvent> {
  const nothing = '{}'
  const stored = await pass.checkpoint(key)
  if (stored === undefined || stored === nothing) return
  for (const prefix of prefixes) yield { event: 'listed', prefix }
  yield { event: 'checkpoint', key, value: nothing }
}

/** Resolved for each pass anew and kept nowhere. @returns why there is none, where one is named */
async function tokenOf({ tokenRef }: CodeRepoSettings, pass: Pass): Promise<string | undefined | AppError> {
  if (tokenRef === undefined) return undefined
  try {
    return await resolveToken(pass.secret, tokenRef, ['Bearer', 'token'])
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

function* withoutToken({ message }: AppError): Generator<SourceEvent> {
  yield { event: 'fault', path: 'tokenRef', message, isRecoverable: false, guidance: message }
  yield { event: 'failed', message }
}
