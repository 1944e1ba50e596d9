import * as contract from '../../../contract/operations/diagnostics.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createSurveys } from './survey/surveys.js'

/** Health of every part with its reasons, and a view into the database (operations.md 3.1 to 3.6). */
export const diagnostics: Domain = {
  routes: lateRoutes(
    [
      contract.diagnosticsReport,
      contract.workloads,
      contract.transcriptCapture,
      contract.contentSafetyList,
      contract.databaseSchema,
      contract.tableSample,
      contract.diagnosticsDomain,
    ],
    () => import('./routes.js'),
  ),
  workers: [createSurveys],
}
