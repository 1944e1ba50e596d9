import {
  type GithubDiscussion,
  type GithubDiscussionComment,
  type GithubDiscussionReply,
  githubMoreComments,
  githubMoreReplies,
} from '../../../../contract/knowledge/sources/github-replies.js'
import type { SourceEvent } from '../core/kind.js'
import { type GithubFault, malformed } from './github-fault.js'
import { answerOf, moreCommentsQuery, moreRepliesQuery } from './graphql.js'
import { artifactEvent, type GithubPass } from './reading.js'

interface DiscussionRef {
  repo: string
  discussion: GithubDiscussion
}

/**
 * Reads all comments of one discussion with their replies; missing ones are removed.
 * @throws GithubFault
 */
export async function* discussionComments(
  reading: GithubPass,
  place: DiscussionRef,
): AsyncGenerator<SourceEvent> {
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
