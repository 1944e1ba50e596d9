import type { Tables } from '../../../../store/tables/tables.js'
import { embedJob } from '../../../ground/embedding/embed-now.js'
import { nextRing, type OwnDevice, type Ring, ringHash } from '../files/ring.js'
import { ringName, sortFiles } from '../files/store-files.js'
import { collect } from '../state/collect.js'
import type { SyncContext, SyncDeps } from '../state/context.js'
import { type Settled, settle } from '../state/settle.js'
import type { Transport } from '../transports/transport.js'
import { type ExchangeReport, type SyncConfig, writeConfig } from './config.js'
import { Membership, readOwn, textKeyOf } from './membership.js'
import { transportOf } from './place.js'

/** Rows of one transaction while local changes are collected. */
export const collectedAtOnce = 200

/** One exchange with the store. */
export interface Exchange {
  deps: SyncDeps
  config: SyncConfig
  own: OwnDevice
  membership: Membership
  context: SyncContext
  report: ExchangeReport
}

export async function openExchange(
  deps: SyncDeps,
  config: SyncConfig,
  report: ExchangeReport,
): Promise<Exchange> {
  const { own } = await readOwn(deps)
  // A kill between the two, or a backup that has only one of them.
  if (own.tag !== config.tag) {
    config.earlier.push(config.tag)
    config.tag = own.tag
  }
  const membership = new Membership(config.store, config.rings)
  // A database that is older than the keys: the store may have the rings that it lacks.
  if (!membership.heads.some(ring => ring.wraps[own.tag])) {
    const transport = await transportOf(deps, config, report)
    await membership.learn(transport, sortFiles(await transport.list(), config.store))
  }
  membership.requireMember(own)
  const context = { tag: own.tag, textKey: textKeyOf(membership.keysOf(own)) }
  return { deps, config, own, membership, context, report }
}

/** Makes the next ring of the present ones, and puts it. */
export async function addRing(
  exchange: Exchange,
  transport: Transport,
  change: Pick<Parameters<typeof nextRing>[1], 'add' | 'revoke' | 'until'>,
): Promise<Ring> {
  const { membership, config, own } = exchange
  const keys = membership.keysOf(own)
  const ring = nextRing(own, { store: config.store, keys, heads: membership.heads, ...change })
  await putRing(transport, config.store, ring)
  membership.rings.set(ringHash(ring), ring)
  return ring
}

export function putRing(transport: Transport, store: string, ring: Ring): Promise<void> {
  return transport.put(ringName(store, ring.epoch, ringHash(ring)), Buffer.from(JSON.stringify(ring)))
}

export async function saveRings(tables: Tables, { config, membership }: Exchange): Promise<void> {
  config.rings = [...membership.rings.values()]
  await writeConfig(tables, config)
}

/** Collects all local changes and makes the rows follow, batch by batch. */
export async function collectLocal(exchange: Exchange): Promise<void> {
  const { deps, report } = exchange
  for (;;) {
    const { more, settled, records } = await deps.store.write(
      { until: 'committed', rows: collectedAtOnce },
      tables => collectBatch(exchange, tables),
    )
    await indexSettled(deps, [settled])
    report.collected += records
    if (!more || deps.isStopping()) return
  }
}

/** Collects what is left in the caller's transaction, so that nothing read is taken for a local change. */
export async function collectAll(exchange: Exchange, tables: Tables): Promise<Settled[]> {
  const all: Settled[] = []
  for (;;) {
    const { more, settled, records } = await collectBatch(exchange, tables)
    all.push(settled)
    exchange.report.collected += records
    if (!more) return all
  }
}

async function collectBatch(
  { deps, context }: Exchange,
  tables: Tables,
): Promise<{ more: boolean; records: number; settled: Settled }> {
  const { part, records, more } = await collect(tables, context, {
    limit: collectedAtOnce,
    now: deps.clock(),
  })
  const settled = await settle(deps, tables, part)
  // Memories that became one have history to collect.
  return { more: more || settled.gone.size > 0, records, settled }
}

/** Brings the index up to date after the commit. */
export async function indexSettled(deps: SyncDeps, all: readonly Settled[]): Promise<void> {
  const changed = new Set(all.flatMap(one => [...one.changed]))
  for (const id of new Set(all.flatMap(one => [...one.gone]))) if (!changed.has(id)) deps.index.remove(id)
  if (changed.size === 0) return
  const rows = await deps.store.tables.memories.load([...changed])
  await deps.index.apply(rows.filter(row => row.is_deleted === 0))
  deps.wake(embedJob)
}
