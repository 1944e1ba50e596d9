import type { EndpointShape } from '../ground/endpoint.js'
import * as system from './system.js'
import * as transfer from './transfer.js'

/** The process itself, and taking memories out and in: the endpoints of this area. */
export const operationsEndpoints = [
  system.health,
  system.ready,
  system.status,
  system.openapi,
  system.docs,
  system.shutdown,
  system.pullModel,
  transfer.exportMemories,
  transfer.importMemories,
] as const satisfies readonly EndpointShape[]
