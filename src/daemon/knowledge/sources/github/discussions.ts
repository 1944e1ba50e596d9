import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import {
  type GithubDiscussion,
  type GithubDiscussionComment,
  type GithubDiscussionReply,
  githubDiscussion,
  githubDiscussions,
  githubMoreComments,
  githubMoreReplies,
} from '../../../../contract/knowledge/sources/github-replies.js'
import type { SourceEvent } from '../core/kind.js'
import { GithubFault, malformed } from './github-fault.js'
import { answerOf, discussionsQuery, moreCommentsQuery, moreRepliesQuery } from './graphql.js'
import {
  finishedCheckpoint,
  type ListingStart,
  laterTime,
  listingStartOf,
  type OpenListing,
  openCheckpoint,
} from './progress.js'
import { artifactEvent, faultEvent, type GithubPass } from './reading.js'

/** Small, because discussions come with their comments. */
const pageSize = 20

interface DiscussionListing {
  repo: string
  key: string
  start: ListingStart
}

/** The progress of a listing. */
interface ListingProgress {
  since: string | null
  count: number
  /** True if an item could not be read: unlisted artifacts may still exist. */
  isIncomplete: boolean
}

/**
 * Reads discussions with their comments. At first and once a day all are listed, the longest unchanged first;
 * after a kill this continues at the same page. Otherwise the newest are read until a known one.
 * @throws GithubFault
 */
export async function* readDiscussions(reading: GithubPass, repo: string): AsyncGenerator<SourceEvent> {
  const { state, labels, includeComments, maxItemsPerRepo } = reading.settings
  const key = `${repo}/discussions`
  const selection = JSON.stringify([state, [...labels].sort(), includeComments, maxItemsPerRepo ?? null])
  const start = await listingStartOf(reading, { key, selection })
  const place: DiscussionListing = { repo, key, start }
  const most = start.listing ? maxItemsPerRepo : undefined
  const end =
    start.listing && most === undefined
      ? yield* oldestFirst(reading, place, start.listing)
      : yield* newestFirst(reading, place, most)
  if (start.listing && end.isWhole)
    for (const prefix of [`${key}/`, `${repo}/discussion-comments/`])
      yield { event: 'listed', prefix, fromPass: start.listing.pass }
  yield finishedCheckpoint(reading, start, { since: end.since, etag: undefined })
}

interface ListingEnd {
  since: string | null
  isWhole: boolean
}

async function* oldestFirst(
  reading: GithubPass,
  place: DiscussionListing,
  { pass, cursor, isIncomplete = false }: OpenListing,
): AsyncGenerator<SourceEvent, ListingEnd> {
  const { start, repo } = place
  const outcome: ListingProgress = { since: start.before.since, count: 0, isIncomplete }
  const visited = new Set<string>()
  for (let after: string | null = cursor ?? null; ; ) {
    const page = yield* readPage(reading, place, { direction: 'ASC', after, first: pageSize })
    for (const node of page.nodes) yield* discussionEvents(reading, place, { node, outcome, at: page.at })
    after = nextCursor(visited, page.next, repo)
    if (after === null) return { since: outcome.since, isWhole: !outcome.isIncomplete }
    yield openCheckpoint(start, outcome.since, {
      pass,
      cursor: after,
      ...(outcome.isIncomplete && { isIncomplete: true }),
    })
  }
}

/** Stops at one that has not changed since the last time, or at the maximum. */
async function* newestFirst(
  reading: GithubPass,
  place: DiscussionListing,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<SourceEvent, ListingEnd> {
  const from = most === Number.POSITIVE_INFINITY ? place.start.from : undefined
  const outcome: ListingProgress = { since: place.start.before.since, count: 0, isIncomplete: false }
  const visited = new Set<string>()
  let after: string | null = null
  do {
    const first = Math.min(pageSize, most - outcome.count)
    const page = yield* readPage(reading, place, { direction: 'DESC', after, first })
    for (const node of page.nodes) {
      const { updatedAt } = parseNode(node) ?? {}
      if (from !== undefined && updatedAt !== undefined && updatedAt < from)
        return { since: outcome.since, isWhole: false }
      yield* discussionEvents(reading, place, { node, outcome, at: page.at })
    }
    after = nextCursor(visited, page.next, place.repo)
  } while (after !== null && outcome.count < most)
  return { since: outcome.since, isWhole: after === null && !outcome.isIncomplete }
}

/**
 * @returns the cursor of the next page, null at the end
 * @throws GithubFault
 */
function nextCursor(visited: Set<string>, cursor: string | null, repo: string): string | null {
  if (cursor !== null && visited.has(cursor))
    throw malformed(`the pages of the discussions of ${repo} form a loop`)
  if (cursor !== null) visited.add(cursor)
  return cursor
}

interface DiscussionPage {
  nodes: unknown[]
  next: string | null
  at: number
}

async function* readPage(
  reading: GithubPass,
  { repo }: DiscussionListing,
  { direction, after, first }: { direction: 'ASC' | 'DESC'; after: string | null; first: number },
): AsyncGenerator<SourceEvent, DiscussionPage> {
  const [owner, name] = repo.split('/')
  const comments = reading.settings.includeComments
  const variables = { owner, name, first, after, direction, comments }
  const { data, at } = yield* answerOf(reading, {
    query: discussionsQuery,
    variables,
    schema: githubDiscussions,
  })
  if (!data.repository)
    throw new GithubFault('missing', `repository ${repo} not found, or the token has no access`, {
      guidance: 'check the name; the token needs read access to discussions',
    })
  const { pageInfo, nodes } = data.repository.discussions
  return { nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null, at }
}

async function* discussionEvents(
  reading: GithubPass,
  { repo, key, start }: DiscussionListing,
  { node, outcome, at }: { node: unknown; outcome: ListingProgress; at: number },
): AsyncGenerator<SourceEvent> {
  outcome.count++
  const discussion = parseNode(node)
  if (!discussion) {
    outcome.isIncomplete = true
    yield faultEvent(key, malformed('a discussion has an unexpected format and was skipped'))
    return
  }
  const path = `${key}/${discussion.number}`
  if (isWanted(discussion, reading.settings)) {
    yield await artifactEvent(reading, discussionArtifact(repo, discussion))
    yield* discussionComments(reading, { repo, discussion })
  } else if (!start.listing && (await reading.pass.known(path))) {
    yield { event: 'removed', path }
    yield { event: 'listed', prefix: `${repo}/discussion-comments/${discussion.number}/` }
  }
  outcome.since = laterTime(outcome.since, discussion.updatedAt, at)
}

function parseNode(node: unknown): GithubDiscussion | undefined {
  return githubDiscussion.safeParse(node).data
}

function isWanted({ closed, labels }: GithubDiscussion, wanted: GithubSettings): boolean {
  if (wanted.state !== 'all' && (wanted.state === 'closed') !== closed) return false
  const names = new Set(labels?.nodes.map(label => label?.name.toLowerCase()))
  return wanted.labels.every(label => names.has(label.toLowerCase()))
}

function discussionArtifact(repo: string, discussion: GithubDiscussion) {
  const { number, title, body, url, author, category, closed, updatedAt } = discussion
  const labels = discussion.labels?.nodes.flatMap(label => label?.name ?? []) ?? []
  const facts = [
    `Discussion ${repo}#${number}`,
    ...(closed ? ['closed'] : []),
    ...(category ? [`in ${category.name}`] : []),
    ...(author ? [`opened by ${author.login}`] : []),
    ...(labels.length > 0 ? [`labels: ${labels.join(', ')}`] : []),
  ]
  return {
    path: `${repo}/discussions/${number}`,
    kind: 'discussion',
    title,
    text: `${facts.join(', ')}\n\n${body}`.trimEnd(),
    names: [`#${number}`, `${repo}#${number}`, ...labels],
    url,
    ...(author && { author: author.login }),
    updatedAt,
  }
}

interface DiscussionRef {
  repo: string
  discussion: GithubDiscussion
}

/**
 * Reads all comments of one discussion with their replies; missing ones are removed.
 * @throws GithubFault
 */
async function* discussionComments(reading: GithubPass, place: DiscussionRef): AsyncGenerator<SourceEvent> {
  const { repo, discussion } = place
  if (!reading.settings.includeComments || !discussion.comments) return
  let { pageInfo, nodes } = discussion.comments
  for (;;) {
    for (const comment of nodes) if (comment) yield* commentWithReplies(reading, place, comment)
    if (!pageInfo.hasNextPage) break
    const page = yield* answerOf(reading, {
      query: moreCommentsQuery,
      variables: { id: discussion.id, after: pageInfo.endCursor },
      schema: githubMoreComments,
    })
    if (!page.data.node) throw discussionGone(place)
    ;({ pageInfo, nodes } = page.data.node.comments)
  }
  yield { event: 'listed', prefix: `${repo}/discussion-comments/${discussion.number}/` }
}

async function* commentWithReplies(
  reading: GithubPass,
  place: DiscussionRef,
  comment: GithubDiscussionComment,
): AsyncGenerator<SourceEvent> {
  yield await artifactEvent(reading, artifactOf(place, comment, comment.isAnswer ? 'Answer' : 'Comment'))
  let { pageInfo, nodes } = comment.replies
  for (;;) {
    for (const reply of nodes)
      if (reply) yield await artifactEvent(reading, artifactOf(place, reply, 'Reply'))
    if (!pageInfo.hasNextPage) return
    const page = yield* answerOf(reading, {
      query: moreRepliesQuery,
      variables: { id: comment.id, after: pageInfo.endCursor },
      schema: githubMoreReplies,
    })
    if (!page.data.node) throw discussionGone(place)
    ;({ pageInfo, nodes } = page.data.node.replies)
  }
}

function discussionGone({ repo, discussion: { number } }: DiscussionRef): GithubFault {
  return malformed(`discussion ${repo}#${number} was deleted while it was read`)
}

function artifactOf({ repo, discussion }: DiscussionRef, reply: GithubDiscussionReply, what: string) {
  const { databaseId, body, url, author, updatedAt } = reply
  const { number, title } = discussion
  return {
    path: `${repo}/discussion-comments/${number}/${databaseId}`,
    kind: 'discussion-comment',
    title: `${what} on ${title}`,
    text: `${what} on discussion ${repo}#${number}${author ? `, by ${author.login}` : ''}\n\n${body}`.trimEnd(),
    names: [`#${number}`, `${repo}#${number}`],
    url,
    ...(author && { author: author.login }),
    updatedAt,
  }
}
