import { CliError } from '../cli-error.js'
import { colorsFor } from '../output.js'

/**
 * Asks a person before something is taken away; without a terminal `--yes` has to be there. Ink loads here, and only
 * here.
 * @throws CliError `confirmation_required` or `cancelled`
 */
export async function requireConsent(
  question: string,
  { yes, json }: { yes: boolean; json: boolean },
): Promise<void> {
  if (yes) return
  if (json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new CliError('nothing was changed: without a terminal to ask on, --yes is needed', {
      code: 'confirmation_required',
      exit: 'usage',
      nextSteps: ['add --yes'],
    })
  const { confirmChange } = await import('../tui/confirm-change.js')
  if (!(await confirmChange({ question, color: colorsFor().isColorSupported, isOffer: true })))
    throw new CliError('nothing was changed', { code: 'cancelled', exit: 'cancelled' })
}
