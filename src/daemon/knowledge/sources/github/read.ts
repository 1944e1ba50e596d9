import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import { type GithubComment, githubComment } from '../../../../contract/knowledge/sources/github-replies.js'
import { ApiFault, type Wait } from '../../../ground/fetch/api-faults.js'
import { resolveToken } from '../../../ground/secrets/secrets.js'
import type { KindDeps, Pass, ReadArtifact, Source, SourceEvent } from '../core/kind.js'
import { apiAddress, createClient } from './client.js'
import { readDiscussions } from './discussions.js'
import { readDocs } from './docs.js'
import { endsPass, isUnanswered } from './github-fault.js'
import { type ItemLog, type ItemType, itemPath, itemsOf, typesOf } from './items.js'
import { type Resource, syncResource } from './keep-up.js'
import { artifactEvent, digest, faultEvent, type GithubPass } from './reading.js'

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

interface CommentKind {
  /** The name in the job's status. */
  name: string
  /** Part of the path of its artifacts and of its checkpoint, below the repository. */
  folder: 'comments' | 'review-comments'
  /** GitHub's route that lists them for the whole repository. */
  route: 'issues/comments' | 'pulls/comments'
}

const conversation: CommentKind = {
  name: 'comments',
  folder: 'comments',
  route: 'issues/comments',
}
const reviews: CommentKind = {
  name: 'review comments',
  folder: 'review-comments',
  route: 'pulls/comments',
}

interface Parent {
  number: number
  type: ItemType
  title: string | null
}

/** `https://github.com/OWNER/REPO/issues/12#issuecomment-5`, or the API address of the same. */
const parentUrl = /\/(issues|pull|pulls)\/(\d+)(?:#.*)?$/u

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

/**
 * Lists the comments of all issues and pull requests of a repository, after these have been read. Comments of
 * unwanted ones are skipped.
 */
function commentsOf(
  reading: GithubPass,
  { repo, kind, tell }: { repo: string; kind: CommentKind; tell: ItemLog },
): Resource<GithubComment> {
  const { resourceTypes, state, labels, maxItemsPerRepo } = reading.settings
  return {
    key: `${repo}/${kind.folder}`,
    selection: JSON.stringify([
      [...resourceTypes].sort(),
      state,
      [...labels].sort(),
      maxItemsPerRepo ?? null,
    ]),
    prefixes: [`${repo}/${kind.folder}/`],
    most: undefined,
    from: start => (start.listing ? (start.from ?? tell.oldest) : earliest(start.from, tell.newcomersSince)),
    listing: () => ({
      path: `repos/${repo}/${kind.route}`,
      query: {},
      parse: item => parseComment(item),
      changedAt: comment => comment.updated_at,
    }),
    take: async function* (comments) {
      for (const comment of comments) yield* commentEvents(reading, { repo, kind, tell, comment })
    },
  }
}

/** An old issue that only now matches the filter has comments older than the last sync. */
function earliest(from: string | undefined, newcomers: string | undefined): string | undefined {
  return from !== undefined && newcomers !== undefined && newcomers < from ? newcomers : from
}

async function* commentEvents(
  reading: GithubPass,
  { repo, kind, tell, comment }: { repo: string; kind: CommentKind; tell: ItemLog; comment: GithubComment },
): AsyncGenerator<SourceEvent, void> {
  const parent = await parentOf(reading, { repo, tell, comment })
  if (parent) yield await artifactEvent(reading, commentArtifact(repo, kind, { comment, parent }))
}

/** Skips a comment without a number or without its parent's. */
function parseComment(item: unknown): GithubComment | undefined {
  const comment = githubComment.safeParse(item).data
  return comment && numberOf(comment) !== undefined ? comment : undefined
}

function numberOf({ html_url, issue_url, pull_request_url }: GithubComment): number | undefined {
  const match = [html_url, issue_url, pull_request_url].map(url => parentUrl.exec(url ?? '')).find(Boolean)
  return match ? Number(match[2]) : undefined
}

async function parentOf(
  { pass, settings }: GithubPass,
  { repo, tell, comment }: { repo: string; tell: ItemLog; comment: GithubComment },
): Promise<Parent | undefined> {
  const number = numberOf(comment) as number
  const inPass = tell.titles.get(number)
  if (inPass) return { number, ...inPass }
  for (const type of typesOf(settings)) {
    const known = await pass.known(itemPath(repo, type, number))
    if (known) return { number, type, title: known.title }
  }
  return undefined
}

function commentArtifact(
  repo: string,
  { folder }: CommentKind,
  { comment, parent }: { comment: GithubComment; parent: Parent },
): Omit<ReadArtifact, 'fingerprint'> {
  const { id, body, html_url, user, updated_at, path, line } = comment
  const { number, type, title } = parent
  const author = user?.login
  const what = folder === 'comments' ? 'Comment' : 'Review comment'
  const on = `${type === 'pulls' ? 'pull request' : 'issue'} ${repo}#${number}`
  const place = path ? `, on ${path}${line ? ` line ${line}` : ''}` : ''
  return {
    path: `${repo}/${folder}/${number}/${id}`,
    kind: folder === 'comments' ? 'comment' : 'review-comment',
    title: title === null ? `${what} on ${repo}#${number}` : `${what} on ${title}`,
    text: `${what} on ${on}${author ? `, by ${author}` : ''}${place}\n\n${body ?? ''}`.trimEnd(),
    names: [`#${number}`, `${repo}#${number}`],
    ...(html_url && { url: html_url }),
    ...(author && { author }),
    updatedAt: updated_at,
  }
}
