import * as contract from '../../../contract/memory/vectors.js'
import { route } from '../../platform/http/bind.js'
import { exportVectors } from './export-vectors.js'

export const routes = [
  route(contract.exportVectors, (daemon, { caller, query }) => exportVectors(daemon, caller, query)),
  route(contract.embedderStatus, async ({ embedder }) => {
    const { provider, model, dimensions, available, error, checkedAt } = embedder().status()
    return { provider, model, dimensions, available, ...(error && { error }), checkedAt }
  }),
]
