import { AppError } from '../../../contract/ground/errors.js'
import { recallBody } from '../../../contract/memory/memory.js'
import * as contract from '../../../contract/memory/search.js'
import { route } from '../../platform/http/bind.js'
import { parseInput } from '../../platform/http/errors.js'
import { recallWithTelemetry } from '../recall/recorded/recall-with-telemetry.js'
import { keywordSearch, similar } from './search-memories.js'

export const routes = [
  route(contract.recallByGet, (daemon, { caller, query: { q, query = q, ...rest } }) => {
    if (query === undefined) throw new AppError('validation_failed', 'q is required: what to search for')
    return recallWithTelemetry(daemon, caller, parseInput(recallBody, { ...rest, query }), {
      route: contract.recallByGet.path,
    })
  }),
  route(contract.searchMemories, (daemon, { caller, query }) => keywordSearch(daemon, caller, query)),
  route(contract.similarMemories, (daemon, { caller, query }) => similar(daemon, caller, query)),
]
