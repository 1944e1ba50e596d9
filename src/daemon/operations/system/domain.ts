import * as contract from '../../../contract/operations/system.js'
import { type Route, route } from '../../platform/http/bind.js'
import { docsPage } from '../../platform/http/docs-page.js'
import { openapiDocument } from '../../platform/http/openapi.js'
import { type ListenAddress, status } from './status.js'

/** Routes about the process itself that need it to be up. @param address where it listens @param stop ends it after its work in hand */
export function systemRoutes(address: () => ListenAddress, stop: () => void): readonly Route[] {
  return [
    route(contract.status, daemon => status(daemon, address())),
    route(contract.openapi, async ({ version }) => openapiDocument(version)),
    route(contract.docs, async ({ version }) => docsPage(version)),
    route(contract.pullModel, async ({ embedder }) => {
      embedder().pull()
      return { state: embedder().status().state }
    }),
    route(contract.shutdown, async () => {
      stop()
      return { status: 'stopping' as const }
    }),
  ]
}
