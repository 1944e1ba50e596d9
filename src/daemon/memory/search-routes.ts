import { AppError } from '../../contract/errors.js'
import { recallBody } from '../../contract/memory.js'
import * as contract from '../../contract/memory-search.js'
import { type Route, route } from '../http/bind.js'
import { parseInput } from '../http/errors.js'
import { keywordSearch } from './keyword-search.js'
import { recall } from './recall.js'
import { similar } from './similar.js'

/** Searches by GET. */
export const searchRoutes: readonly Route[] = [
  route(contract.recallByGet, (daemon, { caller, query: { q, query = q, ...rest } }) => {
    if (query === undefined) throw new AppError('validation_failed', 'q is required: what to search for')
    return recall(daemon, caller, parseInput(recallBody, { ...rest, query }))
  }),
  route(contract.searchMemories, (daemon, { caller, query }) => keywordSearch(daemon, caller, query)),
  route(contract.similarMemories, (daemon, { caller, query }) => similar(daemon, caller, query)),
]
