import * as contract from '../../../contract/sessions/summaries.js'
import { route } from '../../platform/http/bind.js'
import { expandSummary, listSummaries } from './summaries.js'

export const routes = [
  route(contract.listSummaries, async (daemon, { caller, query }) => {
    const listed = await listSummaries(daemon, caller, query)
    return { summaries: listed, count: listed.length }
  }),
  route(contract.expandSummary, (daemon, { caller, body }) => expandSummary(daemon, caller, body)),
]
