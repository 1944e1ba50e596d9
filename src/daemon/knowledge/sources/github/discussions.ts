import type { GithubSettings } from '../../../../contract/knowledge/sources/github.js'
import {
  type GithubDiscussion,
  githubDiscussion,
  githubDiscussions,
} from '../../../../contract/knowledge/sources/github-replies.js'
import type { SourceEvent } from '../core/kind.js'
import { discussionComments } from './discussion-comments.js'
import { GithubFault, malformed } from './github-fault.js'
import { answerOf, discussionsQuery } from './graphql.js'
import { finished, latest, type OpenListing, type Start, startOf, unfinished } from './progress.js'
import { faultEvent, type Reading, told } from './reading.js'

/** With their comments they are large. */
const pageSize = 20

interface Place {
  repo: string
  key: string
  start: Start
}

/** What became of a listing so far. */
interface Told {
  since: string | null
  count: number
  /** Something in it could not be read: what was not told may be there all the same. */
  isIncomplete: boolean
}

/**
 * Discussions with their comments. All of them are listed at first and once a day, the longest unchanged first, and go on
 * at the same page after a kill; else the newest until one that is known. @throws GithubFault
 */
export async function* readDiscussions(reading: Reading, repo: string): AsyncGenerator<SourceEvent> {
  const { state, labels, includeComments, maxItemsPerRepo } = reading.settings
  const key = `${repo}/discussions`
  const selection = JSON.stringify([state, [...labels].sort(), includeComments, maxItemsPerRepo ?? null])
  const start = await startOf(reading, { key, selection })
  const place: Place = { repo, key, start }
  const most = start.listing ? maxItemsPerRepo : undefined
  const end =
    start.listing && most === undefined
      ? yield* oldestFirst(reading, place, start.listing)
      : yield* newestFirst(reading, place, most)
  if (start.listing && end.isWhole)
    for (const prefix of [`${key}/`, `${repo}/discussion-comments/`])
      yield { event: 'listed', prefix, fromPass: start.listing.pass }
  yield finished(reading, start, { since: end.since, etag: undefined })
}

interface End {
  since: string | null
  isWhole: boolean
}

async function* oldestFirst(
  reading: Reading,
  place: Place,
  { pass, cursor, isIncomplete = false }: OpenListing,
): AsyncGenerator<SourceEvent, End> {
  const { start, repo } = place
  const told: Told = { since: start.before.since, count: 0, isIncomplete }
  const visited = new Set<string>()
  for (let after: string | null = cursor ?? null; ; ) {
    const page = yield* readPage(reading, place, { direction: 'ASC', after, first: pageSize })
    for (const node of page.nodes) yield* take(reading, place, { node, told, at: page.at })
    after = onward(visited, page.next, repo)
    if (after === null) return { since: told.since, isWhole: !told.isIncomplete }
    yield unfinished(start, told.since, {
      pass,
      cursor: after,
      ...(told.isIncomplete && { isIncomplete: true }),
    })
  }
}

/** Until one that was not changed since the last time, or until there are as many as are wanted. */
async function* newestFirst(
  reading: Reading,
  place: Place,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<SourceEvent, End> {
  const from = most === Number.POSITIVE_INFINITY ? place.start.from : undefined
  const told: Told = { since: place.start.before.since, count: 0, isIncomplete: false }
  const visited = new Set<string>()
  let after: string | null = null
  do {
    const first = Math.min(pageSize, most - told.count)
    const page = yield* readPage(reading, place, { direction: 'DESC', after, first })
    for (const node of page.nodes) {
      const { updatedAt } = parsedNode(node) ?? {}
      if (from !== undefined && updatedAt !== undefined && updatedAt < from)
        return { since: told.since, isWhole: false }
      yield* take(reading, place, { node, told, at: page.at })
    }
    after = onward(visited, page.next, place.repo)
  } while (after !== null && told.count < most)
  return { since: told.since, isWhole: after === null && !told.isIncomplete }
}

/** @returns where the next page begins, null at the end. @throws GithubFault */
function onward(visited: Set<string>, cursor: string | null, repo: string): string | null {
  if (cursor !== null && visited.has(cursor))
    throw malformed(`the pages of the discussions of ${repo} lead in a circle`)
  if (cursor !== null) visited.add(cursor)
  return cursor
}

interface DiscussionPage {
  nodes: unknown[]
  next: string | null
  at: number
}

async function* readPage(
  reading: Reading,
  { repo }: Place,
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
    throw new GithubFault('missing', `there is no repository ${repo}, or the token may not see it`, {
      guidance: 'look at the name; the token needs read access to discussions',
    })
  const { pageInfo, nodes } = data.repository.discussions
  return { nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null, at }
}

async function* take(
  reading: Reading,
  { repo, key, start }: Place,
  { node, told: so, at }: { node: unknown; told: Told; at: number },
): AsyncGenerator<SourceEvent> {
  so.count++
  const discussion = parsedNode(node)
  if (!discussion) {
    so.isIncomplete = true
    yield faultEvent(
      key,
      malformed('a discussion has not the form that GitHub promises, and was passed over'),
    )
    return
  }
  const path = `${key}/${discussion.number}`
  if (isWanted(discussion, reading.settings)) {
    yield await told(reading, discussionArtifact(repo, discussion))
    yield* discussionComments(reading, { repo, discussion })
  } else if (!start.listing && (await reading.pass.known(path))) {
    yield { event: 'removed', path }
    yield { event: 'listed', prefix: `${repo}/discussion-comments/${discussion.number}/` }
  }
  so.since = latest(so.since, discussion.updatedAt, at)
}

function parsedNode(node: unknown): GithubDiscussion | undefined {
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
