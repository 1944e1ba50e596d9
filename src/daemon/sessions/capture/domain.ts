import { captureState } from '../../../contract/sessions/capture-rules.js'
import * as hooks from '../../../contract/sessions/hook-capture.js'
import * as contract from '../../../contract/sessions/transcripts.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { captureJob, createCaptureWorker } from './capture-worker.js'
import { createIdleCapture } from './idle-sessions.js'
import { createStaleSweep } from './stale-sweep.js'

export const capture: Domain = {
  routes: lateRoutes(
    [
      hooks.sessionEnd,
      hooks.checkpointExtract,
      hooks.captureStatus,
      captureState,
      contract.sessionTranscript,
      contract.sessionTurns,
      contract.searchSessions,
    ],
    () => import('./routes.js'),
  ),
  jobs: [captureJob],
  workers: [createCaptureWorker, createStaleSweep, createIdleCapture],
}
