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
import { type Reading, told } from './reading.js'

interface Place {
  repo: string
  discussion: GithubDiscussion
}

/** All comments of one discussion, and the replies to them; what is not among them is gone. @throws GithubFault */
export async function* discussionComments(reading: Reading, place: Place): AsyncGenerator<SourceEvent> {
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
    if (!page.data.node) throw gone(place)
    ;({ pageInfo, nodes } = page.data.node.comments)
  }
  yield { event: 'listed', prefix: `${repo}/discussion-comments/${discussion.number}/` }
}

async function* commentWithReplies(
  reading: Reading,
  place: Place,
  comment: GithubDiscussionComment,
): AsyncGenerator<SourceEvent> {
  yield await told(reading, artifactOf(place, comment, comment.isAnswer ? 'Answer' : 'Comment'))
  let { pageInfo, nodes } = comment.replies
  for (;;) {
    for (const reply of nodes) if (reply) yield await told(reading, artifactOf(place, reply, 'Reply'))
    if (!pageInfo.hasNextPage) return
    const page = yield* answerOf(reading, {
      query: moreRepliesQuery,
      variables: { id: comment.id, after: pageInfo.endCursor },
      schema: githubMoreReplies,
    })
    if (!page.data.node) throw gone(place)
    ;({ pageInfo, nodes } = page.data.node.replies)
  }
}

function gone({ repo, discussion: { number } }: Place): GithubFault {
  return malformed(`discussion ${repo}#${number} went while it was read`)
}

function artifactOf({ repo, discussion }: Place, reply: GithubDiscussionReply, what: string) {
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
