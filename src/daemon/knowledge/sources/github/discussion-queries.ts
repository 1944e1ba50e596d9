const reply = 'databaseId body url author { login } updatedAt'
const comment = `id ${reply} isAnswer
  replies(first: 20) { pageInfo { hasNextPage endCursor } nodes { ${reply} } }`

/** Discussions of a repository by the time of their last change, with their first comments where these are wanted. */
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
