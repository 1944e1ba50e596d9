import type { z } from 'zod'
import { unscannedLine } from '../../../../lib/text/one-line.js'
import type { SourceEvent } from '../core/kind.js'
import { GithubFault, malformed } from './github-fault.js'
import { type GithubPass, withLimitWaits } from './reading.js'

const reply = 'databaseId body url author { login } updatedAt'

const comment = `id ${reply} isAnswer
  replies(first: 20) { pageInfo { hasNextPage endCursor } nodes { ${reply} } }`

/** Lists discussions of a repository by their last change, optionally with their first comments. */
export const discussionsQuery = `query Discussions(
  $owner: String!, $name: String!, $first: Int!, $after: String, $direction: OrderDirection!, $comments: Boolean!
) {
  repository(owner: $owner, name: $name) {
    discussions(first: $first, after: $after, orderBy: { field: UPDATED_AT, direction: $direction }) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id number title body url closed createdAt updatedAt
        author { login }
        category { name }
        labels(first: 50) { nodes { name } }
        comments(first: 30) @include(if: $comments) { pageInfo { hasNextPage endCursor } nodes { ${comment} } }
      }
    }
  }
}`

export const moreCommentsQuery = `query Comments($id: ID!, $after: String) {
  node(id: $id) {
    ... on Discussion {
      comments(first: 30, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${comment} } }
    }
  }
}`

export const moreRepliesQuery = `query Replies($id: ID!, $after: String) {
  node(id: $id) {
    ... on DiscussionComment {
      replies(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${reply} } }
    }
  }
}`

interface GraphqlQuery<T> {
  query: string
  variables: Readonly<Record<string, unknown>>
  schema: z.ZodType<T>
}

/**
 * Returns the data of a GraphQL reply. GitHub reports errors with status 200, even next to partial data,
 * which is discarded.
 * @throws GithubFault
 */
export async function* answerOf<T>(
  reading: GithubPass,
  { query, variables, schema }: GraphqlQuery<T>,
): AsyncGenerator<SourceEvent, { data: T; at: number }> {
  return yield* withLimitWaits(reading, async () => {
    const reply = await reading.client.query(query, variables)
    const { data, errors } = (reply.body ?? {}) as { data?: unknown; errors?: unknown }
    if (Array.isArray(errors) && errors.length > 0) throw errorOf(errors[0])
    const parsed = schema.safeParse(data)
    if (parsed.success) return { data: parsed.data, at: reply.at }
    throw malformed(`${reading.client.address.graphql.href} returned an unexpected format`)
  })
}

function errorOf(error: unknown): GithubFault {
  const { type, message } = (error ?? {}) as { type?: unknown; message?: unknown }
  const said = unscannedLine(String(message ?? 'no reason given'), 200)
  if (type === 'NOT_FOUND')
    return new GithubFault('missing', `GitHub did not find it: ${said}`, {
      guidance: 'check the name; the token needs read access to this repository',
    })
  if (type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES')
    return new GithubFault('forbidden', `GitHub refused: ${said}`, {
      guidance: 'give the token read access to discussions',
    })
  // An error without a type is internal to GitHub, such as a query timeout.
  const kind = type === undefined ? 'unreachable' : 'refused'
  return new GithubFault(kind, `GitHub could not answer: ${said}`, { status: 200 })
}
