import * as hooks from '../../contract/hook-capture.js'
import * as contract from '../../contract/session-transcripts.js'
import { type Route, route } from '../http/bind.js'
import { captureStatus } from './capture-status.js'
import { checkpoint } from './checkpoint.js'
import { searchSessions } from './search-sessions.js'
import { endSession } from './session-end.js'
import { sessionTranscript } from './session-transcript.js'

export const captureRoutes: readonly Route[] = [
  route(hooks.sessionEnd, (daemon, { caller, body }) => endSession(daemon, caller, body)),
  route(hooks.checkpointExtract, (daemon, { caller, body }) => checkpoint(daemon, caller, body)),
  route(hooks.captureStatus, (daemon, { caller, params, query }) =>
    captureStatus(daemon, caller, query, params.jobId),
  ),
  route(contract.sessionTranscript, (daemon, { caller, params, query }) =>
    sessionTranscript(daemon, caller, query, params.key),
  ),
  route(contract.searchSessions, (daemon, { caller, body }) => searchSessions(daemon, caller, body)),
]
