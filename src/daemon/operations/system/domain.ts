/**
 * The operations area keeps a workspace healthy and reports its state.
 *
 * `system/` (here) has status, OpenAPI and the stop; `backup/`, `repair/`, `retention/` and `diagnostics/`
 * look after the data; `transfer/` exports and imports memories; `git/`, `updates/` and `settings/` change
 * the installation; `logs/`, `metrics/`, `telemetry/` and `timeline/` report. Requests come from commands
 * and the web page; workers run on timers. It reads the tables of every area. Apart from imports and repairs
 * it changes no memory, and it never influences the results of a recall.
 */

import * as contract from '../../../contract/operations/system.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { createIntegrityWatch } from './integrity-watch.js'

/** Status, OpenAPI and shutdown of the daemon process. */
export const system: Domain = {
  routes: [
    route(contract.status, async (daemon, { caller }) => {
      const { status } = await import('./status.js')
      return status(daemon, caller)
    }),
    route(contract.openapi, async ({ version }) => {
      const { openapiDocument } = await import('../../platform/http/openapi.js')
      return openapiDocument(version)
    }),
    route(contract.docs, async ({ version }) => {
      const { docsPage } = await import('../../platform/http/docs-page.js')
      return docsPage(version)
    }),
    route(contract.pullModel, async ({ embedder }) => {
      embedder().pull()
      return { state: embedder().status().state }
    }),
    route(contract.shutdown, async ({ stop }) => {
      // The reply must be sent before the daemon stops.
      setImmediate(stop, 'asked to stop')
      return { status: 'stopping' as const }
    }),
  ],
  workers: [createIntegrityWatch],
}
