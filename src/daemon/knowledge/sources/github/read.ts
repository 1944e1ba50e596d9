import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { ApiFault } from '../../../ground/fetch/api-fault.js'
import type { Wait } from '../../../ground/fetch/with-retries.js'
import { resolveToken } from '../../../ground/secrets/resolve-token.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { apiAddress, createClient } from './client.js'
import { type CommentKind, commentsOf, conversation, reviews } from './comments.js'
import { readDiscussions } from './discussions.js'
import { readDocs } from './docs.js'
import { endsPass, isUnanswered } from './github-fault.js'
import { itemsOf, type TellOfItems, typesOf } from './items.js'
import { keepUp } from './keep-up.js'
import { digest, faultEvent, type Reading } from './reading.js'

/** One resource of one repository. */
interface Part {
  /** `OWNER/REPO/issues`: of its checkpoint, its faults, and a pause in it. */
  key: string
  isWanted: boolean
  /** Another part that has to be read before it in the same pass. */
  needs?: string
  prefixes: readonly string[]
  read(reading: Reading): AsyncGenerator<SourceEvent>
}

/**
 * One pass over repositories, resource by resource. What fails in one leaves the others alone, and the job says so at its
 * end; a limit that lasts pauses the job, which goes on by itself. @throws SourceFailure, the signal's reason
 */
export async function* readRepos(
  { clock, configuration, wait }: Pick<KindDeps, 'clock' | 'configuration'> & { wait: Wait },
  { settings }: Source<GithubSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const token = await tokenOf(settings, pass)
  if (token instanceof AppError) return yield* withoutToken(token)
  const { apiBaseUrl } = configuration().settings.sources[sourceKind.github]
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
async function tokenOf({ tokenRef }: GithubSettings, pass: Pass): Promise<string | undefined | AppError> {
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

/** The resources of a repository in the order in which they are read: comments behind what they stand below. */
function partsOf(repo: string, settings: GithubSettings): Part[] {
  const { resourceTypes, includeComments } = settings
  const tell: TellOfItems = { titles: new Map() }
  const types = typesOf(settings)
  const comments = (kind: CommentKind, isWanted: boolean): Part => ({
    key: `${repo}/${kind.folder}`,
    isWanted: includeComments && isWanted,
    needs: `${repo}/issues`,
    prefixes: [`${repo}/${kind.folder}/`],
    read: reading => told(repo, kind.name, keepUp(reading, commentsOf(reading, { repo, kind, tell }))),
  })
  return [
    {
      key: `${repo}/issues`,
      isWanted: types.length > 0,
      prefixes: [`${repo}/issues/`, `${repo}/pulls/`],
      read: reading => told(repo, 'issues and pull requests', keepUp(reading, itemsOf(reading, repo, tell))),
    },
    comments(conversation, types.length > 0),
    comments(reviews, types.includes('pulls')),
    {
      key: `${repo}/docs`,
      isWanted: resourceTypes.includes('docs'),
      prefixes: [`${repo}/docs/`],
      read: reading => told(repo, 'documentation', readDocs(reading, repo)),
    },
    {
      key: `${repo}/discussions`,
      isWanted: resourceTypes.includes('discussions'),
      prefixes: [`${repo}/discussions/`, `${repo}/discussion-comments/`],
      read: reading => told(repo, 'discussions', readDiscussions(reading, repo)),
    },
  ]
}

async function* told(
  repo: string,
  what: string,
  events: AsyncGenerator<SourceEvent>,
): AsyncGenerator<SourceEvent> {
  yield { event: 'status', message: `reading ${what} of ${repo}` }
  yield* events
}
