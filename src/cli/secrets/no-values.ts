import { CliError } from '../shell/cli-error.js'

/**
 * Rejects surplus arguments without repeating them, because they may be the secret itself.
 * @param words the surplus arguments. @param what the input that is prompted for instead.
 * @throws CliError `value_in_arguments`
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
