import { type ItemKind, itemKinds } from '../../../contract/memory/memory.js'
import type { FoundItem, SearchItemsBody, SearchItemsReply } from '../../../contract/operations/items.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Elsewhere } from '../../memory/recall/elsewhere.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { finders, itemSearch, type UnscoredItem } from './find-items.js'

/** Shares of a score: how well an item answers, and its place in the order of its kind. */
const answerShare = 0.8
const placeShare = 0.2

/** Of equal items, exact names come first and long texts last. */
const tieOrder: readonly ItemKind[] = ['entity', 'code', 'memory', 'document', 'note', 'session']

/**
 * Finds things of all kinds for a query, best first. Each kind is ranked by itself; their scores are
 * comparable (ranking.md#kinds-beside-each-other). A kind that cannot be searched is named in `failed`.
 * @throws AppError `scope_violation`
 */
export async function searchItems(
  daemon: Daemon,
  caller: Caller,
  body: SearchItemsBody,
): Promise<SearchItemsReply> {
  const { found, failed } = await findItems(daemon, caller, body)
  const { query, offset, limit } = body
  const end = offset + limit
  return {
    query,
    items: await Promise.all(found.slice(offset, end).map(withTitle)),
    total: found.length,
    next: found.length > end ? end : null,
    counts: countsOf(found),
    failed,
  }
}

/** Finds items for the counts of a recall, which has counted memories and passages of documents itself. */
export const findElsewhere: Elsewhere = async (daemon, caller, body) => {
  const kinds = itemKinds.filter(kind => kind !== 'memory' && kind !== 'document')
  return (await findItems(daemon, caller, { ...body, kinds })).found
}

type ScoredItem = FoundItem & Pick<UnscoredItem, 'readTitle'>

async function withTitle({ readTitle, ...item }: ScoredItem): Promise<FoundItem> {
  return readTitle ? { ...item, title: await readTitle() } : item
}

async function findItems(
  daemon: Daemon,
  caller: Caller,
  body: SearchItemsBody,
): Promise<{ found: ScoredItem[]; failed: ItemKind[] }> {
  const wanted = new Set<ItemKind>(body.kinds ?? itemKinds)
  const search = await itemSearch(daemon, caller, body, wanted)
  const failed: ItemKind[] = []
  const lists = await Promise.all(
    finders
      .filter(({ kinds }) => kinds.some(kind => wanted.has(kind)))
      .map(async ({ kinds, find }) => {
        try {
          return await find(daemon, search)
        } catch (err) {
          daemon.log.warn({ err, kinds }, 'search of a kind failed')
          failed.push(...kinds.filter(kind => wanted.has(kind)))
          return []
        }
      }),
  )
  return { found: inOneOrder(lists.flat()), failed }
}

/** Scores the items of all kinds and orders them. @param items each kind in its own order */
export function inOneOrder(items: readonly UnscoredItem[]): ScoredItem[] {
  const places = new Map<ItemKind, number>()
  return items
    .map(({ answers, ...item }) => {
      const place = (places.get(item.kind) ?? 0) + 1
      places.set(item.kind, place)
      return { ...item, score: Number((answerShare * answers + placeShare / place).toFixed(4)) }
    })
    .sort((a, b) => b.score - a.score || tieOrder.indexOf(a.kind) - tieOrder.indexOf(b.kind))
}

function countsOf(found: readonly Pick<FoundItem, 'kind'>[]): SearchItemsReply['counts'] {
  const count = (wanted: ItemKind) => found.filter(({ kind }) => kind === wanted).length
  return Object.fromEntries(itemKinds.map(kind => [kind, count(kind)])) as SearchItemsReply['counts']
}
