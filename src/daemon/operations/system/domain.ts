import * as contract from '../../../contract/operations/system.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { docsPage } from '../../platform/http/docs-page.js'
import { openapiDocument } from '../../platform/http/openapi.js'
import { createIntegrityWatch } from './integrity-watch.js'
import { status } from './status.js'

/** The process itself. */
export const system: Domain = {
  routes: [
    route(contract.status, daemon => status(daemon)),
    route(contract.openapi, async ({ version }) => openapiDocument(version)),
    route(contract.docs, async ({ version }) => docsPage(version)),
    route(contract.pullModel, async ({ embedder }) => {
      embedder().pull()
      return { state: embedder().status().state }
    }),
    route(contract.shutdown, async ({ stop }) => {
      // The reply is sent before the daemon stops.
      setImmediate(stop, 'asked to stop')
      return { status: 'stopping' as const }
    }),
  ],
  workers: [createIntegrityWatch],
}
