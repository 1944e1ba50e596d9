import { exitCodes } from '../shell/exit-codes.js'
import { colorsFor, print } from '../terminal/output.js'
import { type ShownMessage, sentText } from './message-text.js'

/** Tells what became of a message that was sent. The exit code is 1 when it did not arrive, or nobody knows. */
export function showSent(message: ShownMessage, { json }: { json: boolean }): void {
  const arrived = message.deliveryStatus === 'delivered'
  if (!arrived) process.exitCode = exitCodes.failure.code
  if (!json) print(`${arrived ? colorsFor().green('✓') : colorsFor().red('✗')} ${sentText(message)}`)
}
