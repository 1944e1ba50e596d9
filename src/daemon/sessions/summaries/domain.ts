import * as contract from '../../../contract/sessions/summaries.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { createNodeRescan } from './rescan-nodes.js'
import { expandSummary, listSummaries } from './summaries.js'

/** Summaries of sessions and what they were made from (rules.md 4.11). */
export const summaries: Domain = {
  routes: [
    route(contract.listSummaries, async (daemon, { caller, query }) => {
      const listed = await listSummaries(daemon, caller, query)
      return { summaries: listed, count: listed.length }
    }),
    route(contract.expandSummary, (daemon, { caller, body }) => expandSummary(daemon, caller, body)),
  ],
  workers: [createNodeRescan],
}
