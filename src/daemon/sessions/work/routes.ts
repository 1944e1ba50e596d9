import * as contract from '../../../contract/sessions/sessions.js'
import { route } from '../../platform/http/bind.js'
import { readFileWork, readSessionWork } from './read-work.js'

export const routes = [
  route(contract.sessionWork, (daemon, { caller, params, query }) =>
    readSessionWork(daemon, caller, { ...query, key: params.key }),
  ),
  route(contract.fileWork, (daemon, { caller, query }) => readFileWork(daemon, caller, query)),
]
