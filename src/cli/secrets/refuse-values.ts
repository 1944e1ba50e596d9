import { CliError } from '../shell/cli-error.js'

/**
 * Rejects surplus arguments without repeating them, because they may be the secret itself.
 * @param words the surplus arguments. @param what the input that is prompted for instead.
 * @throws CliError `value_in_arguments`
 */
export function refuseValues(
  words: readonly unknown[],
  what: 'value' | 'passphrase' | 'recovery code',
  example: string,
): void {
  if (words.length === 0) return
  throw new CliError(
    `a ${what} is not accepted as an argument, because arguments appear in process lists and the shell history`,
    {
      code: 'value_in_arguments',
      exit: 'usage',
      nextSteps: [
        `enter it at the prompt, or use a pipe: ${example}`,
        `if this was the real ${what}, replace it: it may be in your shell history`,
      ],
    },
  )
}
