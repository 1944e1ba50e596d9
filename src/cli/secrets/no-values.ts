import { CliError } from '../shell/cli-error.js'

/**
 * Refuses words that a command has no place for: they may be the secret itself, so they are not repeated.
 * @param words what stands behind the command's own arguments. @param what is asked for instead. @throws CliError `value_in_arguments`
 */
export function refuseValues(words: readonly unknown[], what: 'value' | 'passphrase', example: string): void {
  if (words.length === 0) return
  throw new CliError(
    `the ${what} is never an argument: arguments show in process lists and in the history of the shell`,
    {
      code: 'value_in_arguments',
      exit: 'usage',
      nextSteps: [
        `give it at the prompt, or from a pipe: ${example}`,
        'if that was the real one, replace it: it may be in the history of this shell',
      ],
    },
  )
}
