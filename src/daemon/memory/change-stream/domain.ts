import * as contract from '../../../contract/memory/change-stream.js'
import { createDaemonState } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { ChangeStreams } from './change-streams.js'

const streams = createDaemonState<ChangeStreams>()

/** The live stream of memory changes. */
export const changes: Domain = {
  routes: [
    route(contract.streamChanges, (daemon, { caller, query }) => streams.of(daemon).open(caller, query)),
  ],
  workers: [
    daemon => {
      const followed = streams.keep(daemon, new ChangeStreams(daemon))
      return { start: () => undefined, stopping: () => followed.end(), close: () => followed.close() }
    },
  ],
}
