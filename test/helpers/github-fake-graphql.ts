import { buildSchema, graphql } from 'graphql'
import type { FakeDiscussion, FakeReply, FakeRepo } from './github-fake-repo.js'

/** The part of GitHub's public schema that discussions need, unchanged. */
const schema = buildSchema(`
  scalar DateTime
  scalar URI
  enum OrderDirection { ASC DESC }
  enum DiscussionOrderField { CREATED_AT UPDATED_AT }
  enum DiscussionState { CLOSED OPEN }
  input DiscussionOrder { field: DiscussionOrderField! direction: OrderDirection! }
  interface Node { id: ID! }
  interface Actor { login: String! }
  type User implements Actor { login: String! }
  type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
  type DiscussionCategory { name: String! }
  type Label { name: String! }
  type LabelConnection { nodes: [Label] pageInfo: PageInfo! totalCount: Int! }
  type DiscussionComment implements Node {
    id: ID! databaseId: Int author: Actor body: String! isAnswer: Boolean! url: URI!
    createdAt: DateTime! updatedAt: DateTime!
    replies(after: String, before: String, first: Int, last: Int): DiscussionCommentConnection!
  }
  type DiscussionCommentConnection { nodes: [DiscussionComment] pageInfo: PageInfo! totalCount: Int! }
  type Discussion implements Node {
    id: ID! number: Int! title: String! body: String! url: URI! closed: Boolean! author: Actor
    category: DiscussionCategory! createdAt: DateTime! updatedAt: DateTime!
    labels(after: String, before: String, first: Int, last: Int): LabelConnection
    comments(after: String, before: String, first: Int, last: Int): DiscussionCommentConnection!
  }
  type DiscussionConnection { nodes: [Discussion] pageInfo: PageInfo! totalCount: Int! }
  type Repository implements Node {
    id: ID! nameWithOwner: String!
    discussions(
      after: String, answered: Boolean, before: String, categoryId: ID, first: Int, last: Int,
      orderBy: DiscussionOrder, states: [DiscussionState!]
    ): DiscussionConnection!
  }
  type Query {
    node(id: ID!): Node
    repository(followRenames: Boolean, name: String!, owner: String!): Repository
  }
`)

interface PageArguments {
  first?: number
  after?: string | null
}

type Comment = FakeDiscussion['comments'][number]

/** Runs a query like GitHub: a field outside the schema is an error. */
export async function answerGraphql(repos: ReadonlyMap<string, FakeRepo>, body: string): Promise<unknown> {
  const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> }
  const result = await graphql({ schema, source: query, variableValues: variables, rootValue: rootOf(repos) })
  if (result.data?.repository !== null) return result
  const message = `Could not resolve to a Repository with the name '${variables.owner}/${variables.name}'.`
  return { ...result, errors: [{ type: 'NOT_FOUND', path: ['repository'], message }] }
}

function rootOf(repos: ReadonlyMap<string, FakeRepo>) {
  return {
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repo = repos.get(`${owner}/${name}`.toLowerCase())
      if (!repo) return null
      return {
        __typename: 'Repository',
        id: `R_${repo.name}`,
        nameWithOwner: repo.name,
        discussions: (page: PageArguments & { orderBy?: { direction: string } }) => {
          const sign = page.orderBy?.direction === 'ASC' ? 1 : -1
          const sorted = [...repo.discussions].sort((a, b) => sign * (a.updatedAt < b.updatedAt ? -1 : 1))
          return connection(sorted, page, one => discussion(repo, one))
        },
      }
    },
    node: ({ id }: { id: string }) => {
      const [, kind, name, number, comment] = /^(D|DC)_([^#]+)#(\d+)(?:-(\d+))?$/u.exec(id) ?? []
      const repo = repos.get(name ?? '')
      const found = repo?.discussions.find(one => one.number === Number(number))
      if (!repo || !found) return null
      if (kind === 'D') return discussion(repo, found)
      const one = found.comments.find(({ id: own }) => own === Number(comment))
      return one ? commented(repo, found, one) : null
    },
  }
}

function discussion(repo: FakeRepo, found: FakeDiscussion): object {
  return {
    __typename: 'Discussion',
    ...found,
    id: `D_${repo.name}#${found.number}`,
    url: `https://github.com/${repo.name}/discussions/${found.number}`,
    author: actor(found.author),
    category: { name: found.category },
    labels: (page: PageArguments) => connection(found.labels, page, name => ({ name })),
    comments: (page: PageArguments) => connection(found.comments, page, one => commented(repo, found, one)),
  }
}

function commented(repo: FakeRepo, found: FakeDiscussion, comment: Comment): object {
  return {
    ...replied(repo, found, comment),
    isAnswer: comment.isAnswer,
    replies: (page: PageArguments) =>
      connection(comment.replies, page, one => ({ ...replied(repo, found, one), isAnswer: false })),
  }
}

function replied(repo: FakeRepo, { number }: FakeDiscussion, { id, body, author, updatedAt }: FakeReply) {
  return {
    __typename: 'DiscussionComment',
    id: `DC_${repo.name}#${number}-${id}`,
    databaseId: id,
    body,
    author: actor(author),
    createdAt: updatedAt,
    updatedAt,
    url: `https://github.com/${repo.name}/discussions/${number}#discussioncomment-${id}`,
  }
}

function actor(login: string | null): object | null {
  return login === null ? null : { __typename: 'User', login }
}

function connection<T>(all: readonly T[], { first = 10, after }: PageArguments, toNode: (one: T) => object) {
  const from = after ? Number(Buffer.from(after, 'base64').toString()) : 0
  const end = Math.min(all.length, from + first)
  const cursor = (at: number): string => Buffer.from(String(at)).toString('base64')
  return {
    totalCount: all.length,
    nodes: all.slice(from, end).map(toNode),
    pageInfo: {
      hasNextPage: end < all.length,
      hasPreviousPage: from > 0,
      startCursor: cursor(from),
      endCursor: end > from ? cursor(end) : null,
    },
  }
}
