import type { UpdateErrorCode } from '../../../contract/operations/updates.js'

export interface UpdateFaultDetails {
  /** What a program wrote. */
  output?: string
  /** What a person may run instead. */
  command?: string
  /** What the active executable says that it is. */
  observedVersion?: string | null
  cause?: unknown
}

/** Why a release could not be found or installed, in words for whoever asked (operations.md 2.4). */
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
