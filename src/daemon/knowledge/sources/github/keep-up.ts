import type { SourceEvent } from '../core/kind.js'
import { GithubFault } from './github-fault.js'
import { type ListedItems, type Listing, listNewestFirst, listOldestFirst, secondsBefore } from './list.js'
import {
  finishedCheckpoint,
  type ListingStart,
  laterTime,
  listingStartOf,
  type OpenListing,
  openCheckpoint,
} from './progress.js'
import { digest, faultEvent, type GithubPass } from './reading.js'

/** A kind of item that GitHub lists by the time of its last change. */
export interface Resource<T> {
  /** Key of its checkpoint and its faults: `OWNER/REPO/issues`. */
  key: string
  /** The filter as text. */
  selection: string
  /** Only this resource reports artifacts below these prefixes. */
  prefixes: readonly string[]
  /** Maximum of listed items; unlimited if undefined. */
  most?: number | undefined
  /**
   * Start of a listing, if not at the beginning or at the end of the last one; a listing with a later start
   * is not complete.
   */
  from?(start: ListingStart): string | undefined
  listing(start: ListingStart): Omit<Listing<T>, 'take'>
  /** Converts items to events. */
  take(items: readonly T[], start: ListingStart): AsyncGenerator<SourceEvent, void>
}

/**
 * Updates a resource: lists all of it at first and once a day, otherwise only changes. After a pause or a
 * kill a complete listing continues after the last page written.
 * @throws ApiFault
 */
export async function* syncResource<T>(
  reading: GithubPass,
  resource: Resource<T>,
): AsyncGenerator<SourceEvent> {
  const start = await listingStartOf(reading, resource)
  const from = resource.from ? resource.from(start) : start.from
  const most = start.listing ? resource.most : undefined
  const listing = resource.listing(start)
  const told = {
    since: start.before.since,
    isIncomplete: from !== start.from || (start.listing?.isIncomplete ?? false),
  }
  const take = async function* (page: ListedItems<T>): AsyncGenerator<SourceEvent, void> {
    yield* resource.take(page.items, start)
    told.isIncomplete ||= page.malformed > 0
    if (page.malformed > 0) yield faultEvent(resource.key, badForm(page.malformed))
    for (const item of page.items) told.since = laterTime(told.since, listing.changedAt(item), page.at)
    const last = page.items.at(-1)
    if (!start.listing || most !== undefined || !last) return
    yield openCheckpoint(
      start,
      told.since,
      nextListing(start.listing, listing.changedAt(last), told.isIncomplete),
    )
  }
  const of = digest([reading.tokenMark, listing.path, JSON.stringify(listing.query), from].join(' '))
  const { etag } = start.before
  const known = etag?.of === of && !start.listing ? etag : undefined
  const end =
    most === undefined
      ? yield* listOldestFirst(reading, { ...listing, take }, { since: from, etag: known?.tag })
      : yield* listNewestFirst(reading, { ...listing, take }, most)
  if (start.listing && end.isWhole && !told.isIncomplete)
    for (const prefix of resource.prefixes) yield { event: 'listed', prefix, fromPass: start.listing.pass }
  const fresh = end.etag === undefined || told.isIncomplete ? undefined : { tag: end.etag, of }
  yield finishedCheckpoint(reading, start, { since: told.since, etag: end.isUnchanged ? known : fresh })
}

/** Times are whole seconds: more items may share the last one of a page. */
function nextListing({ pass }: OpenListing, last: string, isIncomplete: boolean): OpenListing {
  return { pass, since: secondsBefore(last, 1), ...(isIncomplete && { isIncomplete }) }
}

function badForm(count: number): GithubFault {
  return new GithubFault(
    'refused',
    `${count} of the items listed by GitHub had an unexpected format and were skipped`,
  )
}
