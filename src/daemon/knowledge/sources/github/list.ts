import { isFault } from '../../../ground/fetch/api-faults.js'
import { urlWithoutQuery } from '../../../ground/fetch/exchange.js'
import type { SourceEvent } from '../core/kind.js'
import type { GetOptions, Reply } from './client.js'
import { malformed as badForm, GithubFault } from './github-fault.js'
import { type GithubPass, withLimitWaits } from './reading.js'

export const fullPage = 100
/** Used when items are so large that a full page cannot be read: ten of GitHub's longest texts fit. */
const smallPage = 10

export interface ListedItems<T> {
  items: T[]
  /** Count of entries that do not have the form of an item. */
  malformed: number
  /** The server's clock. */
  at: number
}

export interface Listing<T> {
  /** Path below the REST address and query, without the parameters for pages and order. */
  path: string
  query: Readonly<Record<string, string>>
  /** @returns undefined if the entry does not have the form of an item */
  parse(item: unknown): T | undefined
  changedAt(item: T): string
  /** Converts the items of a page to events before the next page is requested; not called for "unchanged". */
  take(page: ListedItems<T>): AsyncGenerator<SourceEvent, void>
}

export interface ListingEnd {
  /** True if the pages contained every item. */
  isWhole: boolean
  /** True if nothing has changed since the tag was issued; then no page was read. */
  isUnchanged: boolean
  /** The tag of the only page; undefined if there were several. */
  etag: string | undefined
}

interface Page<T> extends ListedItems<T> {
  reply: Reply
}

/**
 * Lists items changed since a time, the longest unchanged first. Each page begins at the time where the last
 * one ended: concurrent changes then cannot move an item across a page boundary unseen, and GitHub refuses
 * page numbers above about 100. `Link` is followed if one second has more items than a page, or if a server
 * ignores the order.
 * @throws GithubFault
 */
export async function* listOldestFirst<T>(
  reading: GithubPass,
  listing: Listing<T>,
  { since, etag }: { since: string | undefined; etag: string | undefined },
): AsyncGenerator<SourceEvent, ListingEnd> {
  const visited = new Set<string>()
  const asked = { from: since, perPage: fullPage }
  let address = addressOf(reading, listing, { direction: 'asc', ...asked })
  let fallback: URL | undefined
  for (let pages = 1; ; pages++) {
    const page = yield* readPage(reading, listing, address, pages === 1 ? etag : undefined)
    if (page === 'too large') {
      if (asked.perPage === smallPage) throw tooLarge(address)
      asked.perPage = smallPage
      address = addressOf(reading, listing, { direction: 'asc', ...asked })
      continue
    }
    if (page === 'unchanged') return unchanged
    // A server that does not support `since` starts over; then follow its links instead.
    const first = page.items[0]
    const isAnew = fallback && first && asked.from !== undefined && listing.changedAt(first) < asked.from
    if (!isAnew) yield* listing.take(page)
    const next = isAnew ? fallback : nextPage(page.reply, reading.client.address.rest)
    if (!next) {
      const { etag: tag } = page.reply.headers
      const only = pages === 1 && typeof tag === 'string' ? tag : undefined
      return { isWhole: true, isUnchanged: false, etag: only }
    }
    const from = isAnew ? undefined : laterStart(page.items.map(listing.changedAt), asked.from)
    fallback = from === undefined ? undefined : next
    asked.from = from ?? asked.from
    address = from === undefined ? next : addressOf(reading, listing, { direction: 'asc', ...asked })
    if (visited.has(address.href)) throw circularPages(address)
    visited.add(address.href)
  }
}

/**
 * Lists the newest items, at most `most`, in their current state.
 * @throws GithubFault
 */
export async function* listNewestFirst<T>(
  reading: GithubPass,
  listing: Listing<T>,
  most: number,
): AsyncGenerator<SourceEvent, ListingEnd> {
  const visited = new Set<string>()
  const perPage = Math.min(most, fullPage)
  let address = addressOf(reading, listing, { direction: 'desc', from: undefined, perPage })
  let left = most
  for (let pages = 1; ; pages++) {
    const page = yield* readPage(reading, listing, address, undefined)
    if (typeof page === 'string') throw tooLarge(address)
    const items = page.items.slice(0, left)
    left -= items.length
    yield* listing.take({ ...page, items })
    const next = nextPage(page.reply, reading.client.address.rest)
    // An item may have moved between two pages: only a single reply is known to be complete.
    const isWhole = !next && pages === 1 && items.length === page.items.length
    if (!next || left === 0) return { isWhole, isUnchanged: false, etag: undefined }
    if (visited.has(next.href)) throw circularPages(next)
    visited.add(next.href)
    address = next
  }
}

const unchanged: ListingEnd = { isWhole: false, isUnchanged: true, etag: undefined }

async function* readPage<T>(
  reading: GithubPass,
  { parse }: Listing<T>,
  address: URL,
  etag: string | undefined,
): AsyncGenerator<SourceEvent, Page<T> | 'unchanged' | 'too large'> {
  const options: GetOptions = etag === undefined ? {} : { etag }
  try {
    const reply = yield* withLimitWaits(reading, () => reading.client.get(address, options))
    if (reply.status === 304) return 'unchanged'
    if (!Array.isArray(reply.body)) throw badForm(`${urlWithoutQuery(address)} did not return a list`)
    const items = reply.body.flatMap(item => parse(item) ?? [])
    return { reply, items, at: reply.at, malformed: reply.body.length - items.length }
  } catch (error) {
    if (isFault(error, 'too_large')) return 'too large'
    throw error
  }
}

function addressOf<T>(
  { client }: GithubPass,
  { path, query }: Listing<T>,
  { direction, from, perPage }: { direction: 'asc' | 'desc'; from: string | undefined; perPage: number },
): URL {
  const address = new URL(path, client.address.rest)
  const order = { sort: 'updated', direction, per_page: String(perPage), ...(from && { since: from }) }
  for (const [name, value] of Object.entries({ ...query, ...order })) address.searchParams.set(name, value)
  return address
}

/**
 * Returns a second before the last change on a page if that is a step forward; GitHub's times are whole
 * seconds.
 */
function laterStart(times: readonly string[], from: string | undefined): string | undefined {
  const last = times.at(-1)
  if (last === undefined) return undefined
  const start = secondsBefore(last, 1)
  return from === undefined || start > from ? start : undefined
}

/** Subtracts seconds from a time in GitHub's format. */
export function secondsBefore(time: string, seconds: number): string {
  const earlier = new Date(Math.max(0, Date.parse(time) - seconds * 1000))
  return `${earlier.toISOString().slice(0, 19)}Z`
}

/**
 * Returns the next page from `Link`.
 * @returns undefined at the end
 * @throws GithubFault for an address of another origin, because it would receive the token
 */
export function nextPage({ headers, url }: Pick<Reply, 'headers' | 'url'>, api: URL): URL | undefined {
  const link = [headers.link ?? []].flat().join(',')
  const target = /<([^<>]*)>\s*;[^<]*\brel="?next"?/iu.exec(link)?.[1]
  if (target === undefined) return undefined
  const next = URL.canParse(target, url.href) ? new URL(target, url) : undefined
  if (next?.origin === api.origin) return next
  throw new GithubFault(
    'refused',
    `${urlWithoutQuery(url)} continues at another origin, which is not followed`,
  )
}

function circularPages(address: URL): GithubFault {
  return new GithubFault('refused', `the pages of ${urlWithoutQuery(address)} form a loop`)
}

function tooLarge(address: URL): GithubFault {
  return new GithubFault('too_large', `${urlWithoutQuery(address)}: its items are too large to be read`)
}
