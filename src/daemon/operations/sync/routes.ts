import { Readable } from 'node:stream'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/sync.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { assertNodeDuty } from '../../platform/nodes/held-work.js'
import { requireConfig, syncOf } from './exchange/config.js'
import { approveJoin, askToJoin, initStore, recoverStore } from './exchange/join.js'
import { newReport, runExchange } from './exchange/runtime.js'
import { leave, pause, requirePlace, revoke, syncStatusOf } from './exchange/status.js'
import { RingFault } from './files/ring.js'
import { listPage, putBoxed, readBoxed, removeBoxed } from './relay-box.js'
import { TransportFault } from './transports/transport.js'

/** Begins the sync of this workspace, and starts the first exchange without waiting for it. */
async function begun<T>(daemon: Daemon, address: string, work: () => Promise<T>): Promise<T> {
  requirePlace(daemon, address)
  await assertMine(daemon)
  const result = await fromPlace(syncOf(daemon).inLine(work))
  runExchange(daemon).catch((error: unknown) => daemon.log.error({ err: error }, 'sync failed'))
  return result
}

/** The keys of a sync are with one daemon, and its store has one writer. @throws AppError `conflict` */
function assertMine(daemon: Daemon): Promise<void> {
  return assertNodeDuty(daemon, 'sync', 'the sync of this workspace')
}

/** @throws AppError `provider_failed` that says what is wrong with the place, or with the files in it */
async function fromPlace<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TransportFault || error instanceof RingFault)) throw error
    throw new AppError('provider_failed', error.message, undefined, { cause: error })
  }
}

export const routes = [
  route(contract.syncStatus, daemon => syncStatusOf(daemon)),
  route(contract.initSync, (daemon, { body }) => begun(daemon, body.address, () => initStore(daemon, body))),
  route(contract.joinSync, (daemon, { body }) => begun(daemon, body.address, () => askToJoin(daemon, body))),
  route(contract.recoverSync, (daemon, { body }) =>
    begun(daemon, body.address, () => recoverStore(daemon, body)),
  ),
  route(contract.approveSync, async (daemon, { body }) => {
    await assertMine(daemon)
    return fromPlace(
      syncOf(daemon).inLine(async () =>
        approveJoin(daemon, await requireConfig(daemon.store.tables), newReport(daemon), body.code),
      ),
    )
  }),
  route(contract.runSync, async daemon => {
    await requireConfig(daemon.store.tables)
    await assertMine(daemon)
    await runExchange(daemon)
    return syncStatusOf(daemon)
  }),
  route(contract.pauseSync, (daemon, { body }) => pause(daemon, body.paused)),
  route(contract.revokeDevice, async (daemon, { body }) => {
    await assertMine(daemon)
    return fromPlace(revoke(daemon, body.device))
  }),
  route(contract.leaveSync, async daemon => {
    await assertMine(daemon)
    return leave(daemon)
  }),
  route(contract.listBox, (daemon, { params, query }) => listPage(daemon, params.box, query)),
  route(contract.getBoxed, async (daemon, { params, query }) =>
    Readable.from([await readBoxed(daemon, params.box, query.name)]),
  ),
  route(contract.putBoxed, (daemon, { params, query, headers, body }) =>
    putBoxed(daemon, params.box, { file: query.name, body, length: headers['content-length'] }),
  ),
  route(contract.removeBoxed, (daemon, { params, query }) => removeBoxed(daemon, params.box, query.name)),
]
