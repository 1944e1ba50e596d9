import * as contract from '../../../contract/memory/embeddings.js'
import { type Route, route } from '../../platform/http/bind.js'
import { exportEmbeddings } from './export.js'

export const embeddingsRoutes: readonly Route[] = [
  route(contract.exportEmbeddings, (daemon, { caller, query }) => exportEmbeddings(daemon, caller, query)),
  route(contract.embeddingsStatus, async ({ embedder }) => {
    const { provider, model, dimensions, available, error, checkedAt } = embedder().status()
    return { provider, model, dimensions, available, ...(error && { error }), checkedAt }
  }),
]
