import { ApiFault, type ApiFaultDetails, type ApiFaultKind } from '../../../ground/fetch/api-fault.js'

interface GithubFaultDetails extends ApiFaultDetails {
  /** Where something is denied: what a person can do. */
  guidance?: string
}

/** Why GitHub gave nothing that can be used, for whoever reads the health of a source. */
export class GithubFault extends ApiFault {
  readonly guidance: string | undefined

  constructor(kind: ApiFaultKind, message: string, details: GithubFaultDetails = {}) {
    super(kind, message, details)
    this.name = 'GithubFault'
    this.guidance = details.guidance
  }
}

/** What GitHub told is not what its API promises; asking again may help. */
export function malformed(message: string): GithubFault {
  return new GithubFault('refused', message)
}

/** Nobody answered at all: no network, no such host, a connection that breaks. */
export function isUnanswered({ kind, status, cause }: ApiFault): boolean {
  return kind === 'unreachable' && status === undefined && cause !== undefined
}

/** Whether the next request would fail the same way: no network, no valid token, a limit that outlasts the pass. */
export function endsPass(fault: ApiFault): boolean {
  return fault.kind === 'unauthorized' || fault.kind === 'limited' || isUnanswered(fault)
}
