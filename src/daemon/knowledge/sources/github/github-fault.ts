import { ApiFault, type ApiFaultDetails, type ApiFaultKind } from '../../../ground/fetch/api-faults.js'

interface GithubFaultDetails extends ApiFaultDetails {
  /** Advice for a person after a denial. */
  guidance?: string
}

/** Explains to readers of a source's health why GitHub's reply was unusable. */
export class GithubFault extends ApiFault {
  readonly guidance: string | undefined

  constructor(kind: ApiFaultKind, message: string, details: GithubFaultDetails = {}) {
    super(kind, message, details)
    this.name = 'GithubFault'
    this.guidance = details.guidance
  }
}

/** A reply that does not match GitHub's API; a retry may help. */
export function malformed(message: string): GithubFault {
  return new GithubFault('refused', message)
}

/** No server answered: no network, an unknown host, a broken connection. */
export function isUnanswered({ kind, status, cause }: ApiFault): boolean {
  return kind === 'unreachable' && status === undefined && cause !== undefined
}

/**
 * True if the next request would fail the same way: no network, no valid token, a limit that outlasts the
 * pass.
 */
export function endsPass(fault: ApiFault): boolean {
  return fault.kind === 'unauthorized' || fault.kind === 'limited' || isUnanswered(fault)
}
