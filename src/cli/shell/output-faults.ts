import { colorsFor, printNote } from '../terminal/output.js'
import { exitCodes } from './exit-codes.js'

/**
 * A reader that closes the pipe (`memory list | head`) is no fault. What can't be written for another reason, such as a
 * full disk, is told, gives exit code 1 and counts as a closed pipe: everything else oclif throws, stack and all.
 */
export function tellOutputFaults(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') return
    process.exitCode = exitCodes.failure.code
    printNote(`${colorsFor(process.stderr).red('error')}: cannot write to stdout: ${fault.code}`)
    fault.code = 'EPIPE'
  })
}
