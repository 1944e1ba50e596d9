import type { UpdateErrorCode } from '../../../contract/operations/updates.js'

export interface UpdateFaultDetails {
  /** Output of a program. */
  output?: string
  /** Command a person may run instead. */
  command?: string
  /** Version reported by the active executable. */
  observedVersion?: string | null
  cause?: unknown
}

/** Why a release could not be found or installed, in words for people (operations.md 2.4). */
export class UpdateFault extends Error {
  override name = 'UpdateFault'
  readonly output: string
  readonly command: string | null
  readonly observedVersion: string | null

  constructor(
    readonly code: UpdateErrorCode,
    message: string,
    { output = '', command, observedVersion = null, cause }: UpdateFaultDetails = {},
  ) {
    super(message, { cause })
    this.output = output
    this.command = command ?? null
    this.observedVersion = observedVersion
  }
}
