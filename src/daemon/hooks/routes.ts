import * as start from '../../contract/hook-session-start.js'
import { type Route, route } from '../http/bind.js'
import { sessionStart } from './session-start.js'

export const hookRoutes: readonly Route[] = [
  route(start.sessionStart, (daemon, { caller, body }) => sessionStart(daemon, caller, body)),
]
