import type { SourceEvent } from '../core/kind.js'
import { GithubFault } from './github-fault.js'
import { type Listed, type Listing, listNewestFirst, listOldestFirst, secondsBefore } from './list.js'
import { finished, latest, type OpenListing, type Start, startOf, unfinished } from './progress.js'
import { digest, faultEvent, type Reading } from './reading.js'

/** Something of a repository that GitHub lists by the time of its last change. */
export interface Resource<T> {
  /** Of its checkpoint and its faults: `OWNER/REPO/issues`. */
  key: string
  /** Which of them are wanted, as text. */
  selection: string
  /** What stands below these is told by this resource alone. */
  prefixes: readonly string[]
  /** No more than this is listed; everything without it. */
  most?: number | undefined
  /**
   * Where a listing begins, if not at the beginning or where the last one ended; one that begins later than that is not
   * complete.
   */
  from?(start: Start): string | undefined
  listing(start: Start): Omit<Listing<T>, 'take'>
  /** Says what the items are. */
  take(items: readonly T[], start: Start): AsyncGenerator<SourceEvent, void>
}

/**
 * Brings what is known of a resource up to date: lists all of it at first and once a day, else what has changed. After a
 * pause or a kill a complete listing goes on behind the last page that was told. @throws ApiFault
 */
export async function* keepUp<T>(reading: Reading, resource: Resource<T>): AsyncGenerator<SourceEvent> {
  const start = await startOf(reading, resource)
  const from = resource.from ? resource.from(start) : start.from
  const most = start.listing ? resource.most : undefined
  const listing = resource.listing(start)
  const told = {
    since: start.before.since,
    isIncomplete: from !== start.from || (start.listing?.isIncomplete ?? false),
  }
  const take = async function* (page: Listed<T>): AsyncGenerator<SourceEvent, void> {
    yield* resource.take(page.items, start)
    told.isIncomplete ||= page.malformed > 0
    if (page.malformed > 0) yield faultEvent(resource.key, badForm(page.malformed))
    for (const item of page.items) told.since = latest(told.since, listing.changedAt(item), page.at)
    const last = page.items.at(-1)
    if (!start.listing || most !== undefined || !last) return
    yield unfinished(
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
  yield finished(reading, start, { since: told.since, etag: end.isUnchanged ? known : fresh })
}

/** Times are whole seconds: the last one of a page may have more. */
function nextListing({ pass }: OpenListing, last: string, isIncomplete: boolean): OpenListing {
  return { pass, since: secondsBefore(last, 1), ...(isIncomplete && { isIncomplete }) }
}

function badForm(count: number): GithubFault {
  return new GithubFault(
    'refused',
    `${count} of what GitHub listed has not the form that its API promises, and was passed over`,
  )
}
