import { type GithubComment, githubComment } from '../../../../contract/knowledge/sources/github-replies.js'
import type { ReadArtifact, SourceEvent } from '../core/kind.js'
import { type ItemType, itemPath, type TellOfItems, typesOf } from './items.js'
import type { Resource } from './keep-up.js'
import { type Reading, told } from './reading.js'

export interface CommentKind {
  /** In the status of the job. */
  name: string
  /** Below the repository, of its artifacts and its checkpoint. */
  folder: 'comments' | 'review-comments'
  /** Where GitHub lists those of the whole repository. */
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
 * Comments of all issues and pull requests of a repository, in one listing; told after these. The comments of what is not
 * wanted are passed over.
 */
export function commentsOf(
  reading: Reading,
  { repo, kind, tell }: { repo: string; kind: CommentKind; tell: TellOfItems },
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
      parse: item => parsedComment(item),
      changedAt: comment => comment.updated_at,
    }),
    take: async function* (comments) {
      for (const comment of comments) yield* takeComment(reading, { repo, kind, tell, comment })
    },
  }
}

/** What was opened long ago and is wanted only now brings comments that are older than the last sync. */
function earliest(from: string | undefined, newcomers: string | undefined): string | undefined {
  return from !== undefined && newcomers !== undefined && newcomers < from ? newcomers : from
}

async function* takeComment(
  reading: Reading,
  {
    repo,
    kind,
    tell,
    comment,
  }: { repo: string; kind: CommentKind; tell: TellOfItems; comment: GithubComment },
): AsyncGenerator<SourceEvent, void> {
  const parent = await parentOf(reading, { repo, tell, comment })
  if (parent) yield await told(reading, commentArtifact(repo, kind, { comment, parent }))
}

/** A comment without its number and its parent's is none. */
function parsedComment(item: unknown): GithubComment | undefined {
  const comment = githubComment.safeParse(item).data
  return comment && numberOf(comment) !== undefined ? comment : undefined
}

/** `https://github.com/OWNER/REPO/issues/12#issuecomment-5`, or the same of the API. */
const parentUrl = /\/(issues|pull|pulls)\/(\d+)(?:#.*)?$/u

function numberOf({ html_url, issue_url, pull_request_url }: GithubComment): number | undefined {
  const match = [html_url, issue_url, pull_request_url].map(url => parentUrl.exec(url ?? '')).find(Boolean)
  return match ? Number(match[2]) : undefined
}

async function parentOf(
  { pass, settings }: Reading,
  { repo, tell, comment }: { repo: string; tell: TellOfItems; comment: GithubComment },
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
