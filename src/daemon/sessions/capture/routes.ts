import { captureState } from '../../../contract/sessions/capture-rules.js'
import * as hooks from '../../../contract/sessions/hook-capture.js'
import * as contract from '../../../contract/sessions/transcripts.js'
import { route } from '../../platform/http/bind.js'
import { readCaptureState } from '../tracker/read-capture-state.js'
import { searchSessions } from '../transcripts/search-sessions.js'
import { sessionTranscript, sessionTurns } from '../transcripts/session-transcript.js'
import { captureStatus } from './capture-status.js'
import { checkpoint } from './checkpoint.js'
import { endSession } from './session-end.js'

export const routes = [
  route(hooks.sessionEnd, (daemon, { caller, body }) => endSession(daemon, caller, body)),
  route(hooks.checkpointExtract, (daemon, { caller, body }) => checkpoint(daemon, caller, body)),
  route(hooks.captureStatus, (daemon, { caller, params, query }) =>
    captureStatus(daemon, caller, query, params.jobId),
  ),
  route(captureState, (daemon, { caller, query }) => readCaptureState(daemon, caller, query)),
  route(contract.sessionTranscript, (daemon, { caller, params, query }) =>
    sessionTranscript(daemon, caller, query, params.key),
  ),
  route(contract.sessionTurns, (daemon, { caller, params, query }) =>
    sessionTurns(daemon, caller, { ...query, key: params.key }),
  ),
  route(contract.searchSessions, (daemon, { caller, body }) => searchSessions(daemon, caller, body)),
]
