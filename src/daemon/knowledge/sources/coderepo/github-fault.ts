import { ApiFault, type ApiFaultDetails, type ApiFaultKind } from '../api/api-fault.js'

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

/** Whether the next request would fail the same way: no network, no valid token, a limit that outlasts the pass. */
export function endsPass({ kind, status, cause }: ApiFault): boolean {
  if (kind === 'unauthorized' || kind === 'limited') return true
  return kind === 'unreachable' && status === undefined && cause !== undefined
}
