import { createHash } from 'node:crypto'

export interface FakeItem {
  number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  reason: 'completed' | 'not_planned' | null
  labels: string[]
  author: string | null
  isPull: boolean
  mergedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface FakeComment {
  id: number
  /** Number of the issue or pull request. */
  number: number
  body: string
  author: string | null
  /** File of a review comment. */
  path: string | null
  line: number | null
  createdAt: string
  updatedAt: string
}

export interface FakeReply {
  id: number
  body: string
  author: string | null
  updatedAt: string
}

export interface FakeDiscussion {
  number: number
  title: string
  body: string
  category: string
  closed: boolean
  labels: string[]
  author: string | null
  createdAt: string
  updatedAt: string
  comments: (FakeReply & { isAnswer: boolean; replies: FakeReply[] })[]
}

export interface FakeRepo {
  name: string
  isPrivate: boolean
  branch: string
  /** The current name of a renamed repository. */
  movedTo: string | undefined
  items: FakeItem[]
  comments: FakeComment[]
  reviews: FakeComment[]
  discussions: FakeDiscussion[]
  /** Paths with their bytes; content that begins with `-> ` is a link. */
  files: Map<string, Buffer>
  isTruncated: boolean
}

type Some<T, K extends keyof T> = Partial<T> & Pick<T, K>

export interface FakeRepoFields
  extends Partial<Pick<FakeRepo, 'isPrivate' | 'branch' | 'movedTo' | 'isTruncated'>> {
  items?: readonly Some<FakeItem, 'number'>[]
  comments?: readonly Some<FakeComment, 'id' | 'number'>[]
  reviews?: readonly Some<FakeComment, 'id' | 'number'>[]
  discussions?: readonly Some<FakeDiscussion, 'number'>[]
  files?: Readonly<Record<string, string | Buffer>>
}

/** A time in 2024, in minutes after the start of the year. */
export function minute(count: number): string {
  return `${new Date(Date.UTC(2024, 0, 1) + count * 60_000).toISOString().slice(0, 19)}Z`
}

export function madeRepo(name: string, fields: FakeRepoFields): FakeRepo {
  return {
    name,
    isPrivate: fields.isPrivate ?? false,
    branch: fields.branch ?? 'main',
    movedTo: fields.movedTo,
    isTruncated: fields.isTruncated ?? false,
    items: (fields.items ?? []).map(madeItem),
    comments: (fields.comments ?? []).map(madeComment),
    reviews: (fields.reviews ?? []).map(madeComment),
    discussions: (fields.discussions ?? []).map(madeDiscussion),
    files: new Map(Object.entries(fields.files ?? {}).map(([path, text]) => [path, Buffer.from(text)])),
  }
}

export function madeItem(fields: Some<FakeItem, 'number'>): FakeItem {
  const { number, updatedAt = minute(number) } = fields
  return {
    title: `Title of ${number}`,
    body: `Body of ${number}.`,
    state: 'open',
    reason: null,
    labels: [],
    author: 'octocat',
    isPull: false,
    mergedAt: null,
    createdAt: updatedAt,
    updatedAt,
    ...fields,
  }
}

export function madeComment(fields: Some<FakeComment, 'id' | 'number'>): FakeComment {
  const { id, updatedAt = minute(id) } = fields
  return {
    body: `Comment ${id}.`,
    author: 'hubot',
    path: null,
    line: null,
    createdAt: updatedAt,
    updatedAt,
    ...fields,
  }
}

export function madeDiscussion(fields: Some<FakeDiscussion, 'number'>): FakeDiscussion {
  const { number, updatedAt = minute(number) } = fields
  return {
    title: `Discussion ${number}`,
    body: `Asked in ${number}.`,
    category: 'Q&A',
    closed: false,
    labels: [],
    author: 'octocat',
    createdAt: updatedAt,
    updatedAt,
    comments: [],
    ...fields,
  }
}

function userJson(login: string | null): object | null {
  return login === null ? null : { login, id: 1, type: 'User' }
}

export function itemJson({ name }: FakeRepo, item: FakeItem): object {
  const place = `https://github.com/${name}/${item.isPull ? 'pull' : 'issues'}/${item.number}`
  return {
    id: 1_000_000 + item.number,
    number: item.number,
    title: item.title,
    body: item.body,
    html_url: place,
    state: item.state,
    state_reason: item.reason,
    user: userJson(item.author),
    labels: item.labels.map(label => ({ id: 1, name: label, color: 'ffffff' })),
    milestone: null,
    comments: 0,
    ...(item.isPull && { pull_request: { html_url: place, merged_at: item.mergedAt } }),
    created_at: item.createdAt,
    updated_at: item.updatedAt,
  }
}

export function commentJson({ name, items }: FakeRepo, comment: FakeComment): object {
  const { id, number, body, author, path, line, createdAt, updatedAt } = comment
  const isPull = items.find(item => item.number === number)?.isPull ?? path !== null
  const anchor = path === null ? `issuecomment-${id}` : `discussion_r${id}`
  return {
    id,
    body,
    html_url: `https://github.com/${name}/${isPull ? 'pull' : 'issues'}/${number}#${anchor}`,
    ...(path === null
      ? { issue_url: `https://api.github.com/repos/${name}/issues/${number}` }
      : { pull_request_url: `https://api.github.com/repos/${name}/pulls/${number}`, path, line }),
    user: userJson(author),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

export function shaOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export function blobsOf({ files }: FakeRepo): Map<string, Buffer> {
  return new Map([...files.values()].map(bytes => [shaOf(bytes), bytes]))
}

export function treeJson({ files, isTruncated }: FakeRepo): object {
  const folders = new Set(
    [...files.keys()].flatMap(path =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, parts) => parts.slice(0, at + 1).join('/')),
    ),
  )
  return {
    sha: shaOf(Buffer.from([...files.keys()].join())),
    truncated: isTruncated,
    tree: [
      ...[...folders].map(path => ({ path, mode: '040000', type: 'tree', sha: shaOf(Buffer.from(path)) })),
      ...[...files].map(([path, bytes]) => ({
        path,
        mode: bytes.toString().startsWith('-> ') ? '120000' : '100644',
        type: 'blob',
        sha: shaOf(bytes),
        size: bytes.length,
      })),
    ],
  }
}
