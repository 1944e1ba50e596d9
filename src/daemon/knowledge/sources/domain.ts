import * as contract from '../../../contract/knowledge/sources.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { searchSources } from './search-sources.js'

/** What was read of others, searched without memories. */
export const sources: Domain = {
  routes: [route(contract.searchSources, (daemon, { caller, body }) => searchSources(daemon, caller, body))],
}
