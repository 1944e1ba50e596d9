import { z } from 'zod'

/** What of GitHub's replies is read; everything else in them is passed over. Texts are as long as GitHub lets them be. */

const user = z.object({ login: z.string().max(200) }).nullish()
const time = z.iso.datetime()
const url = z.string().max(2000)

export const githubRepository = z.object({
  full_name: z.string().max(300),
  default_branch: z.string().min(1).max(1000),
})

/** `GET /repos/OWNER/REPO/issues`: issues, and pull requests among them. */
export const githubItem = z.object({
  number: z.int().min(1),
  title: z.string().max(10_000),
  body: z.string().nullish(),
  html_url: url.nullish(),
  state: z.string().max(100),
  state_reason: z.string().max(100).nullish(),
  user,
  labels: z
    .array(z.union([z.string().max(1000), z.object({ name: z.string().max(1000).nullish() })]))
    .max(1000)
    .default([]),
  milestone: z.object({ title: z.string().max(10_000) }).nullish(),
  pull_request: z.object({ merged_at: time.nullish() }).nullish(),
  created_at: time,
  updated_at: time,
})
export type GithubItem = z.infer<typeof githubItem>

/** `GET /repos/OWNER/REPO/issues/comments` and `/pulls/comments`; a file and a line are those of reviews. */
export const githubComment = z.object({
  id: z.int().min(1),
  body: z.string().nullish(),
  html_url: url.nullish(),
  issue_url: url.nullish(),
  pull_request_url: url.nullish(),
  user,
  updated_at: time,
  path: z.string().max(10_000).nullish(),
  line: z.int().nullish(),
})
export type GithubComment = z.infer<typeof githubComment>

/** `GET /repos/OWNER/REPO/git/trees/BRANCH?recursive=1` */
export const githubTree = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.object({
      path: z.string().min(1).max(10_000),
      mode: z.string().max(10).optional(),
      type: z.string().max(20),
      /** Of servers that keep no git hashes too; it becomes a part of a path. */
      sha: z.string().regex(/^[\w-]{1,100}$/u),
      size: z.int().min(0).nullish(),
    }),
  ),
})
export type GithubTreeEntry = z.infer<typeof githubTree>['tree'][number]

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().max(10_000).nullable() })

const discussionReply = z.object({
  databaseId: z.int().min(1),
  body: z.string(),
  url,
  author: user,
  updatedAt: time,
})

const discussionComment = discussionReply.extend({
  id: z.string().max(1000),
  isAnswer: z.boolean().default(false),
  replies: z.object({ pageInfo, nodes: z.array(discussionReply.nullable()) }),
})
export type GithubDiscussionComment = z.infer<typeof discussionComment>
export type GithubDiscussionReply = z.infer<typeof discussionReply>

const comments = z.object({ pageInfo, nodes: z.array(discussionComment.nullable()) })

export const githubDiscussion = z.object({
  id: z.string().max(1000),
  number: z.int().min(1),
  title: z.string().max(10_000),
  body: z.string(),
  url,
  closed: z.boolean().default(false),
  author: user,
  category: z.object({ name: z.string().max(1000) }).nullish(),
  labels: z.object({ nodes: z.array(z.object({ name: z.string().max(1000) }).nullable()) }).nullish(),
  createdAt: time,
  updatedAt: time,
  comments: comments.optional(),
})
export type GithubDiscussion = z.infer<typeof githubDiscussion>

/** The replies to the queries of discussions; each node is looked at by itself. */
export const githubDiscussions = z.object({
  repository: z.object({ discussions: z.object({ pageInfo, nodes: z.array(z.unknown()) }) }).nullish(),
})
export const githubMoreComments = z.object({ node: z.object({ comments }).nullish() })
export const githubMoreReplies = z.object({
  node: z.object({ replies: z.object({ pageInfo, nodes: z.array(discussionReply.nullable()) }) }).nullish(),
})
