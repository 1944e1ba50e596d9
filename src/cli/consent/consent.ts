import { CliError } from '../shell/cli-error.js'
import { colorsFor } from '../terminal/output.js'

/** Whether somebody can be asked: a terminal at both ends, and no JSON. */
export function canAsk(json: boolean): boolean {
  return !json && process.stdin.isTTY === true && process.stdout.isTTY === true
}

/**
 * Whether to ask before something is changed: no for `--yes`.
 * @param nextSteps for whoever can't be asked: how to see what would be done, and what `--yes` does.
 * @throws CliError `confirmation_required` where nobody can be asked.
 */
export function asksFirst(input: { yes: boolean; json: boolean; nextSteps: readonly string[] }): boolean {
  if (input.yes) return false
  if (canAsk(input.json)) return true
  throw confirmationRequired(input.nextSteps)
}

/** The error of a change that nobody could be asked about. */
export function confirmationRequired(nextSteps: readonly string[]): CliError {
  return new CliError('nothing was changed: without a terminal to ask on, --yes is needed', {
    code: 'confirmation_required',
    exit: 'usage',
    nextSteps,
  })
}

/** The error of a person's no, esc or Ctrl-C. */
export function cancelled(): CliError {
  return new CliError('nothing was changed', { code: 'cancelled', exit: 'cancelled' })
}

export interface Preview {
  /** What would be done, a line each. */
  lines: readonly string[]
  /** One line. */
  question: string
  /** What has to be typed instead of a y. */
  typed?: string | undefined
}

/**
 * Looks at what would be changed and asks about it; with `--yes` neither. Looking comes first: whoever named what is not
 * there is told so, not that a yes is missing.
 * @param look throws for what is not there.
 * @returns whether somebody was asked. @throws CliError `confirmation_required`, `cancelled`
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

/** Shows what would be taken away and asks. Ink loads here, and only here. @throws CliError `cancelled` for a no. */
export async function requireConsent(preview: Preview): Promise<void> {
  const { previewChange } = await import('../tui/preview-change.js')
  if (!(await previewChange({ ...preview, color: colorsFor().isColorSupported }))) throw cancelled()
}
