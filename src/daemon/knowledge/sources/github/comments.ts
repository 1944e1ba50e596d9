import { type GithubComment, githubComment } from '../../../../contract/knowledge/sources/github-replies.js'
import type { ReadArtifact, SourceEvent } from '../core/kind.js'
import { type ItemLog, type ItemType, itemPath, typesOf } from './items.js'
import type { Resource } from './keep-up.js'
import { artifactEvent, type GithubPass } from './reading.js'

export interface CommentKind {
  /** The name in the job's status. */
  name: string
  /** Part of the path of its artifacts and of its checkpoint, below the repository. */
  folder: 'comments' | 'review-comments'
  /** GitHub's route that lists them for the whole repository. */
  route: 'issues/comments' | 'pulls/comments'
}

export const conversation: CommentKind = {
  name: 'comments',
  folder: 'comments',
  route: 'issues/comments',
}
export const reviews: CommentKind = {
  name: 'review comments',
  folder: 'review-comments',
  route: 'pulls/comments',
}

interface Parent {
  number: number
  type: ItemType
  title: string | null
}

/**
 * Lists the comments of all issues and pull requests of a repository, after these have been read. Comments of
 * unwanted ones are skipped.
 */
export function commentsOf(
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

/** `https://github.com/OWNER/REPO/issues/12#issuecomment-5`, or the API address of the same. */
const parentUrl = /\/(issues|pull|pulls)\/(\d+)(?:#.*)?$/u

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
