import { type Caller, fullAccess } from '../src/daemon/ground/visibility/caller.js'

/** The caller of use cases that are measured without HTTP: anybody in local mode. */
export const benchCaller: Caller = {
  actor: 'bench',
  actorType: 'operator',
  agentId: undefined,
  sessionKey: undefined,
  runtimePath: undefined,
  internal: false,
  peer: undefined,
  requestId: 'bench',
  access: fullAccess,
}
