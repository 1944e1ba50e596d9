import * as contract from '../../../contract/memory/embeddings.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { createBackfill } from './backfill.js'
import { exportEmbeddings } from './export.js'

export const embeddings: Domain = {
  routes: [
    route(contract.exportEmbeddings, (daemon, { caller, query }) => exportEmbeddings(daemon, caller, query)),
    route(contract.embeddingsStatus, async ({ embedder }) => {
      const { provider, model, dimensions, available, error, checkedAt } = embedder().status()
      return { provider, model, dimensions, available, ...(error && { error }), checkedAt }
    }),
  ],
  jobs: [embedJob],
  workers: [createBackfill],
}
