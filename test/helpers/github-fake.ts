import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { type FakeRequest, type HttpFake, startHttpFake } from './embedding-fakes.js'
import { answerGraphql } from './github-fake-graphql.js'
import {
  blobsOf,
  commentJson,
  type FakeRepo,
  type FakeRepoFields,
  itemJson,
  madeRepo,
  treeJson,
} from './github-fake-repo.js'

export interface Budget {
  limit: number
  remaining: number
  /** Seconds since the epoch. */
  reset: number
}

/** Answers a request instead of the fake. @returns whether it answered */
export type Intercept = (request: FakeRequest, response: ServerResponse) => boolean

export interface GithubFakeOptions {
  /** Valid tokens; private repositories require one. */
  tokens?: readonly string[]
  /** Path prefix of the REST API: `/api/v3` on an enterprise server, with GraphQL beside it. */
  base?: '' | '/api/v3'
}

/** GitHub's public REST and GraphQL API: https://docs.github.com/rest. */
export interface GithubFake extends HttpFake {
  /** Value for `sources.coderepo.apiBaseUrl`. */
  base: string
  repo(name: string): FakeRepo
  budget: Budget
  /** Page numbers from here on are refused, as GitHub does for large listings. */
  lastPage: number
  intercept: Intercept | undefined
  /** Requests as `GET /path?query`, in order. */
  asked(): string[]
}

interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
  raw?: boolean
}

/** Starts a fake that stops with the test. */
export async function startGithub(
  t: ExecutionContext,
  repos: Readonly<Record<string, FakeRepoFields>>,
  { tokens = ['a-valid-token-of-github'], base = '' }: GithubFakeOptions = {},
): Promise<GithubFake> {
  // Repository names are case-insensitive.
  const made = new Map(
    Object.entries(repos).map(([name, fields]) => [name.toLowerCase(), madeRepo(name, fields)]),
  )
  const inHour = Math.floor(Date.now() / 1000) + 3600
  const server = await startHttpFake(t, async (request, response) => {
    if (fake.intercept?.(request, response)) return
    const answer = await answerTo(fake, { request, tokens, made, prefix: base })
    send(fake, request, response, answer)
  })
  const fake: GithubFake = {
    ...server,
    base: server.url + base,
    repo: name => made.get(name.toLowerCase()) as FakeRepo,
    budget: { limit: 5000, remaining: 5000, reset: inHour },
    lastPage: 1000,
    intercept: undefined,
    asked: () => server.requests.map(({ method, path }) => `${method} ${path}`),
  }
  return fake
}

interface ApiRequest {
  request: FakeRequest
  tokens: readonly string[]
  made: Map<string, FakeRepo>
  prefix: string
}

async function answerTo(fake: GithubFake, { request, tokens, made, prefix }: ApiRequest): Promise<Answer> {
  const token = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1]
  if (token !== undefined && !tokens.includes(token)) return problem(401, 'Bad credentials')
  if (!request.headers['user-agent']) return problem(403, 'Request forbidden by administrative rules.')
  if (fake.budget.remaining === 0)
    return problem(403, 'API rate limit exceeded for user ID 1. If you reach out to GitHub Support...')
  const url = new URL(request.path, fake.url)
  if (url.pathname === (prefix === '' ? '/graphql' : '/api/graphql')) {
    if (token === undefined) return problem(401, 'This endpoint requires you to be authenticated.')
    return { status: 200, body: await answerGraphql(made, request.body) }
  }
  const [, owner, name, rest = ''] =
    /^\/repos\/([^/]+)\/([^/]+)(?:\/(.*))?$/u.exec(url.pathname.slice(prefix.length)) ?? []
  const repo = made.get(`${owner}/${name}`.toLowerCase())
  if (!repo || (repo.isPrivate && token === undefined)) return problem(404, 'Not Found')
  return answerOfRepo(fake, repo, { url, rest, raw: /raw/u.test(request.headers.accept ?? '') })
}

function answerOfRepo(
  fake: GithubFake,
  repo: FakeRepo,
  { url, rest, raw }: { url: URL; rest: string; raw: boolean },
): Answer {
  if (repo.movedTo !== undefined)
    return {
      ...problem(301, 'Moved Permanently'),
      headers: { location: `${fake.base}/repos/${repo.movedTo}${rest && `/${rest}`}${url.search}` },
    }
  if (rest === '')
    return {
      status: 200,
      body: { full_name: repo.name, default_branch: repo.branch, private: repo.isPrivate },
    }
  if (rest === 'issues') return listed(fake, url, wantedItems(repo, url), item => itemJson(repo, item))
  if (rest === 'issues/comments') return listed(fake, url, repo.comments, one => commentJson(repo, one))
  if (rest === 'pulls/comments') return listed(fake, url, repo.reviews, one => commentJson(repo, one))
  if (rest === `git/trees/${encodeURIComponent(repo.branch)}` && url.searchParams.get('recursive') === '1')
    return repo.files.size === 0
      ? problem(409, 'Git Repository is empty.')
      : { status: 200, body: treeJson(repo) }
  const blob = blobsOf(repo).get(/^git\/blobs\/([0-9a-f]{40})$/u.exec(rest)?.[1] ?? '')
  if (!blob) return problem(404, 'Not Found')
  if (raw) return { status: 200, body: blob, raw: true }
  return { status: 200, body: { content: blob.toString('base64'), encoding: 'base64', size: blob.length } }
}

function wantedItems(repo: FakeRepo, { searchParams }: URL) {
  const state = searchParams.get('state') ?? 'open'
  const labels = (searchParams.get('labels') ?? '').split(',').filter(Boolean)
  return repo.items.filter(
    item => (state === 'all' || item.state === state) && labels.every(label => item.labels.includes(label)),
  )
}

interface Dated {
  createdAt: string
  updatedAt: string
}

/** One page of a list: sorted, since a time, with `Link` headers to the other pages. */
function listed<T extends Dated>(
  fake: GithubFake,
  url: URL,
  all: readonly T[],
  toJson: (item: T) => unknown,
): Answer {
  const query = url.searchParams
  const page = Number(query.get('page') ?? 1)
  const perPage = Math.min(100, Number(query.get('per_page') ?? 30))
  if (page > fake.lastPage)
    return problem(
      422,
      'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)',
    )
  const by = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt'
  const sign = query.get('direction') === 'asc' ? 1 : -1
  const since = query.get('since') ?? ''
  const chosen = all
    .filter(item => item.updatedAt >= since)
    .sort((a, b) => sign * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0))
  const last = Math.max(1, Math.ceil(chosen.length / perPage))
  const linkTo = (number: number, rel: string): string => {
    const target = new URL(url)
    target.searchParams.set('page', String(number))
    return `<${target.href}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [linkTo(page - 1, 'prev')] : []),
    ...(page < last ? [linkTo(page + 1, 'next'), linkTo(last, 'last')] : []),
    ...(page > 1 ? [linkTo(1, 'first')] : []),
  ]
  const body = chosen.slice((page - 1) * perPage, page * perPage).map(toJson)
  return { status: 200, body, headers: links.length > 0 ? { link: links.join(', ') } : {} }
}

export function problem(status: number, message: string): Answer {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  }
}

/**
 * Adds an ETag for each body and token, and the rate limit headers; an unchanged answer does not count
 * against the limit.
 */
function send(fake: GithubFake, request: FakeRequest, response: ServerResponse, answer: Answer): void {
  const bytes = answer.raw ? (answer.body as Buffer) : Buffer.from(JSON.stringify(answer.body))
  const etag = `W/"${createHash('sha256')
    .update(bytes)
    .update(request.headers.authorization ?? '')
    .digest('hex')}"`
  const isSame =
    request.method === 'GET' && answer.status === 200 && request.headers['if-none-match'] === etag
  if (!isSame && fake.budget.remaining > 0) fake.budget.remaining--
  const { limit, remaining, reset } = fake.budget
  response.writeHead(isSame ? 304 : answer.status, {
    ...(answer.status === 200 && request.method === 'GET' && { etag }),
    'content-type': answer.raw ? 'application/vnd.github.raw+json' : 'application/json; charset=utf-8',
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': request.path.endsWith('/graphql') ? 'graphql' : 'core',
    vary: 'Accept, Authorization',
    ...answer.headers,
  })
  response.end(isSame ? undefined : bytes)
}
