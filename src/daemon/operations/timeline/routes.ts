import * as contract from '../../../contract/operations/timeline.js'
import { route } from '../../platform/http/bind.js'
import { readTimeline } from './read-timeline.js'

export const routes = [
  route(contract.timeline, async (daemon, { caller, params: { id }, query }) => ({
    id,
    events: await readTimeline(daemon, { caller, id, named: query }),
  })),
  route(contract.exportTimeline, async (daemon, { caller, params: { id }, query }) => ({
    meta: { version: 1 as const, exportedAt: daemon.clock().toISOString(), id },
    timeline: await readTimeline(daemon, { caller, id, named: query }),
  })),
]
