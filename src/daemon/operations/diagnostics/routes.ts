import * as contract from '../../../contract/operations/diagnostics.js'
import { route } from '../../platform/http/bind.js'
import { captureDiagnostics } from './capture.js'
import { contentSafetyList } from './content-safety.js'
import { databaseSchema, tableSample } from './read-database.js'
import { diagnosticsDomain, diagnosticsReport } from './report.js'
import { workloadsOf } from './workloads.js'

export const routes = [
  route(contract.diagnosticsReport, (daemon, { caller, query }) => diagnosticsReport(daemon, caller, query)),
  route(contract.workloads, async (daemon, { caller, query }) => workloadsOf(daemon, caller, query)),
  route(contract.transcriptCapture, (daemon, { caller, query }) => captureDiagnostics(daemon, caller, query)),
  route(contract.contentSafetyList, (daemon, { caller, query }) => contentSafetyList(daemon, caller, query)),
  route(contract.databaseSchema, (daemon, { caller, query }) => databaseSchema(daemon, caller, query)),
  route(contract.tableSample, (daemon, { caller, params, query }) =>
    tableSample(daemon, caller, { ...query, ...params }),
  ),
  route(contract.diagnosticsDomain, (daemon, { caller, params, query }) =>
    diagnosticsDomain(daemon, caller, query, params.domain),
  ),
]
