import { CliError } from '../shell/cli-error.js'
import { colorsFor } from '../terminal/output.js'

/** Returns true if questions are possible: both ends are a terminal, and the output is not JSON. */
export function canAsk(json: boolean): boolean {
  return !json && process.stdin.isTTY === true && process.stdout.isTTY === true
}

/**
 * Returns true if a change needs a confirmation; false with `--yes`.
 * @param nextSteps advice for callers without a terminal: how to preview, and the effect of `--yes`.
 * @throws CliError `confirmation_required` if questions are not possible.
 */
export function asksFirst(input: { yes: boolean; json: boolean; nextSteps: readonly string[] }): boolean {
  if (input.yes) return false
  if (canAsk(input.json)) return true
  throw confirmationRequired(input.nextSteps)
}

/** Creates the error for an unconfirmed change without a terminal. */
export function confirmationRequired(nextSteps: readonly string[]): CliError {
  return new CliError('nothing was changed: without a terminal, confirm with --yes', {
    code: 'confirmation_required',
    exit: 'usage',
    nextSteps,
  })
}

/** Creates the error for a no, Esc or Ctrl-C. */
export function cancelled(): CliError {
  return new CliError('cancelled, nothing was changed', { code: 'cancelled', exit: 'cancelled' })
}

export interface Preview {
  /** Planned changes, one per line. */
  lines: readonly string[]
  /** One line. */
  question: string
  /** Text to type instead of a y. */
  typed?: string | undefined
}

/**
 * Previews a change and asks for confirmation; with `--yes` it does neither. The preview runs first, so that
 * a wrong name is reported before a missing confirmation.
 * @param look throws if the target does not exist.
 * @returns true if the user was asked. @throws CliError `confirmation_required`, `cancelled`
 */
export async function askAbout(
  input: Parameters<typeof asksFirst>[0],
  look: () => Preview | Promise<Preview>,
): Promise<boolean> {
  const preview = input.yes ? undefined : await look()
  if (!preview || !asksFirst(input)) return false
  await requireConsent(preview)
  return true
}

/** Shows a planned removal and asks. Ink is loaded only here. @throws CliError `cancelled` for a no. */
export async function requireConsent(preview: Preview): Promise<void> {
  const { previewChange } = await import('../tui/preview-change.js')
  if (!(await previewChange({ ...preview, color: colorsFor().isColorSupported }))) throw cancelled()
}
