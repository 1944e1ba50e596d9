import * as contract from '../../../contract/memory/search.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Searches with GET requests. */
export const search: Domain = {
  routes: lateRoutes(
    [contract.recallByGet, contract.searchMemories, contract.similarMemories],
    () => import('./routes.js'),
  ),
}
