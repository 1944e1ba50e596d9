import * as contract from '../../../contract/operations/items.js'
import { elsewhere } from '../../memory/recall/elsewhere.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** One search over everything that the workspace knows, and one way to open what it finds. */
export const items: Domain = {
  routes: lateRoutes([contract.searchItems, contract.openItem], () => import('./routes.js')),
  workers: [
    (daemon): Worker => {
      elsewhere.keep(daemon, async (...given) => (await import('./search-items.js')).findElsewhere(...given))
      return { start: () => undefined, close: async () => undefined }
    },
  ],
}
