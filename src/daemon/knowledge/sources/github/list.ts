import { isFault } from '../../../ground/fetch/api-fault.js'
import { placeOf } from '../../../ground/fetch/exchange.js'
import type { SourceEvent } from '../core/kind.js'
import type { GetOptions, Reply } from './client.js'
import { malformed as badForm, GithubFault } from './github-fault.js'
import { patiently, type Reading } from './reading.js'

export const fullPage = 100
/** For items of a size at which a full page can't be read: GitHub's longest texts fit. */
const smallPage = 10

export interface Listed<T> {
  items: T[]
  /** Things on the page that have not the form of an item. */
  malformed: number
  /** The server's clock. */
  at: number
}

export interface Listing<T> {
  /** Path and query below the REST address, without those that pages and order need. */
  path: string
  query: Readonly<Record<string, string>>
  /** @returns undefined for what has not the form of an item. */
  parse(item: unknown): T | undefined
  changedAt(item: T): string
  /** Says what the items of a page are, before the next one is asked for; not called for "unchanged". */
  take(page: Listed<T>): AsyncGenerator<SourceEvent, void>
}

export interface ListingEnd {
  /** Everything there is was on its pages. */
  isWhole: boolean
  /** Nothing is other than it was when the tag was given; no page was told. */
  isUnchanged: boolean
  /** Of the one page there was; undefined when there were several. */
  etag: string | undefined
}

interface Page<T> extends Listed<T> {
  reply: Reply
}

/**
 * Lists what was changed since a time, the longest unchanged first. Pages are not counted but begun at the time where the
 * last one ended: what is changed or removed meanwhile moves no item over the edge of a page, where nobody would see it,
 * and no page has a number, which GitHub refuses from about a hundred on. Where a second has more items than a page, and
 * where a server does not keep to the order, `Link` leads on.
 * @throws GithubFault
 */
export async function* listOldestFirst<T>(
  reading: Reading,
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
    // A server that does not know `since` begins anew: its links are followed instead.
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
    if (visited.has(address.href)) throw circle(address)
    visited.add(address.href)
  }
}

/** Lists the newest items, no more than `most`: GitHub tells only how they stand when they are asked for. @throws GithubFault */
export async function* listNewestFirst<T>(
  reading: Reading,
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
    // Between two pages an item may have gone over the edge: only what came in one reply is known to be all.
    const isWhole = !next && pages === 1 && items.length === page.items.length
    if (!next || left === 0) return { isWhole, isUnchanged: false, etag: undefined }
    if (visited.has(next.href)) throw circle(next)
    visited.add(next.href)
    address = next
  }
}

const unchanged: ListingEnd = { isWhole: false, isUnchanged: true, etag: undefined }

async function* readPage<T>(
  reading: Reading,
  { parse }: Listing<T>,
  address: URL,
  etag: string | undefined,
): AsyncGenerator<SourceEvent, Page<T> | 'unchanged' | 'too large'> {
  const options: GetOptions = etag === undefined ? {} : { etag }
  try {
    const reply = yield* patiently(reading, () => reading.client.get(address, options))
    if (reply.status === 304) return 'unchanged'
    if (!Array.isArray(reply.body)) throw badForm(`${placeOf(address)} answered something that is no list`)
    const items = reply.body.flatMap(item => parse(item) ?? [])
    return { reply, items, at: reply.at, malformed: reply.body.length - items.length }
  } catch (error) {
    if (isFault(error, 'too_large')) return 'too large'
    throw error
  }
}

function addressOf<T>(
  { client }: Reading,
  { path, query }: Listing<T>,
  { direction, from, perPage }: { direction: 'asc' | 'desc'; from: string | undefined; perPage: number },
): URL {
  const address = new URL(path, client.address.rest)
  const order = { sort: 'updated', direction, per_page: String(perPage), ...(from && { since: from }) }
  for (const [name, value] of Object.entries({ ...query, ...order })) address.searchParams.set(name, value)
  return address
}

/** A second before the last change on a page, where that is a step forward; GitHub writes times in whole seconds. */
function laterStart(times: readonly string[], from: string | undefined): string | undefined {
  const last = times.at(-1)
  if (last === undefined) return undefined
  const start = secondsBefore(last, 1)
  return from === undefined || start > from ? start : undefined
}

/** A time as GitHub writes it, some seconds earlier. */
export function secondsBefore(time: string, seconds: number): string {
  const earlier = new Date(Math.max(0, Date.parse(time) - seconds * 1000))
  return `${earlier.toISOString().slice(0, 19)}Z`
}

/**
 * Where `Link` leads on. @returns undefined at the end. @throws GithubFault for an address of another origin, which would be
 * handed the token
 */
export function nextPage({ headers, url }: Pick<Reply, 'headers' | 'url'>, api: URL): URL | undefined {
  const link = [headers.link ?? []].flat().join(',')
  const target = /<([^<>]*)>\s*;[^<]*\brel="?next"?/iu.exec(link)?.[1]
  if (target === undefined) return undefined
  const next = URL.canParse(target, url.href) ? new URL(target, url) : undefined
  if (next?.origin === api.origin) return next
  throw new GithubFault('refused', `${placeOf(url)} leads on to another origin, which is not followed`)
}

function circle(address: URL): GithubFault {
  return new GithubFault('refused', `the pages of ${placeOf(address)} lead in a circle`)
}

function tooLarge(address: URL): GithubFault {
  return new GithubFault('too_large', `${placeOf(address)}: its items are too large to be read`)
}
