import { type ExitName, exitCodes } from './exit-codes.js'

/**
 * An error of the command itself (a missing confirmation, an unreadable file). It is shown like a daemon's
 * error, with next steps, and as JSON with `--json`.
 */
export class CliError extends Error {
  readonly exitCode: number
  readonly code: string
  readonly nextSteps: readonly string[]
  readonly details: unknown

  /** @param info `code` is a stable snake_case word; `exit` is a row of the exit code table. */
  constructor(
    message: string,
    info: { code: string; exit: ExitName; nextSteps?: readonly string[]; details?: unknown; cause?: unknown },
  ) {
    super(message, { cause: info.cause })
    this.name = 'CliError'
    this.code = info.code
    this.exitCode = exitCodes[info.exit].code
    this.nextSteps = info.nextSteps ?? []
    this.details = info.details
  }
}
