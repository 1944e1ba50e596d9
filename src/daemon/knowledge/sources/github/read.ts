import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { ApiFault } from '../../../ground/fetch/api-fault.js'
import type { Wait } from '../../../ground/fetch/with-retries.js'
import { resolveToken } from '../../../ground/secrets/secrets.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { apiAddress, createClient } from './client.js'
import { type CommentKind, commentsOf, conversation, reviews } from './comments.js'
import { readDiscussions } from './discussions.js'
import { readDocs } from './docs.js'
import { endsPass, isUnanswered } from './github-fault.js'
import { type ItemLog, itemsOf, typesOf } from './items.js'
import { syncResource } from './keep-up.js'
import { digest, faultEvent, type GithubPass } from './reading.js'

/** One resource of one repository. */
interface RepoResource {
  /** `OWNER/REPO/issues`: the key of its checkpoint, its faults and pauses. */
  key: string
  isWanted: boolean
  /** Key of another part that must be read first in the same pass. */
  needs?: string
  prefixes: readonly string[]
  read(reading: GithubPass): AsyncGenerator<SourceEvent>
}

/**
 * Makes one pass over repositories, resource by resource. A failing resource does not affect the others; the
 * job fails at its end. A lasting limit pauses the job, which resumes by itself.
 * @throws SourceFailure, the signal's reason
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
  const reading: GithubPass = {
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

async function* readParts(reading: GithubPass): AsyncGenerator<SourceEvent> {
  const { settings } = reading
  const failed: string[] = []
  for (const repo of settings.repos) {
    for (const part of partsOf(repo, settings)) {
      if (part.needs && failed.includes(part.needs)) continue
      try {
        yield* part.isWanted ? part.read(reading) : removeArtifacts(reading, part)
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
    yield { event: 'failed', message: `not read: ${failed.join(', ')}; see memory sources show` }
}

/** The job resumes by itself: at the time GitHub named, otherwise after a growing delay. */
function* pauseAt(
  { key }: RepoResource,
  { message, retryAfterMs }: ApiFault,
  reason: 'rate_limited' | 'provider_unavailable',
): Generator<SourceEvent> {
  yield { event: 'status', message }
  yield { event: 'pause', reason, frontier: key, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Removes, once, artifacts that the settings no longer select. */
async function* removeArtifacts(
  { pass }: GithubPass,
  { key, prefixes }: RepoResource,
): AsyncGenerator<SourceEvent> {
  const nothing = '{}'
  const stored = await pass.checkpoint(key)
  if (stored === undefined || stored === nothing) return
  for (const prefix of prefixes) yield { event: 'listed', prefix }
  yield { event: 'checkpoint', key, value: nothing }
}

/**
 * The token is resolved for each pass and never stored.
 * @returns the error if a token is configured but missing
 */
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

/** Returns the resources of a repository in reading order: comments after the items they belong to. */
function partsOf(repo: string, settings: GithubSettings): RepoResource[] {
  const { resourceTypes, includeComments } = settings
  const tell: ItemLog = { titles: new Map() }
  const types = typesOf(settings)
  const comments = (kind: CommentKind, isWanted: boolean): RepoResource => ({
    key: `${repo}/${kind.folder}`,
    isWanted: includeComments && isWanted,
    needs: `${repo}/issues`,
    prefixes: [`${repo}/${kind.folder}/`],
    read: reading =>
      withStatus(repo, kind.name, syncResource(reading, commentsOf(reading, { repo, kind, tell }))),
  })
  return [
    {
      key: `${repo}/issues`,
      isWanted: types.length > 0,
      prefixes: [`${repo}/issues/`, `${repo}/pulls/`],
      read: reading =>
        withStatus(repo, 'issues and pull requests', syncResource(reading, itemsOf(reading, repo, tell))),
    },
    comments(conversation, types.length > 0),
    comments(reviews, types.includes('pulls')),
    {
      key: `${repo}/docs`,
      isWanted: resourceTypes.includes('docs'),
      prefixes: [`${repo}/docs/`],
      read: reading => withStatus(repo, 'documentation', readDocs(reading, repo)),
    },
    {
      key: `${repo}/discussions`,
      isWanted: resourceTypes.includes('discussions'),
      prefixes: [`${repo}/discussions/`, `${repo}/discussion-comments/`],
      read: reading => withStatus(repo, 'discussions', readDiscussions(reading, repo)),
    },
  ]
}

async function* withStatus(
  repo: string,
  what: string,
  events: AsyncGenerator<SourceEvent>,
): AsyncGenerator<SourceEvent> {
  yield { event: 'status', message: `reading ${what} of ${repo}` }
  yield* events
}
