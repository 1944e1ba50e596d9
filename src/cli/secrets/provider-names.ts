import { Args } from '@oclif/core'
import { secretProducts, secretProvider } from '../../contract/ground/wire-names.js'

/** Words of the API for password managers, by the names that people know. */
const words = { bitwarden: secretProvider.bitwarden, '1password': secretProvider.onePassword } as const

export type Manager = keyof typeof words

/** `bitwarden` or `1password`. */
export const managerArg = Args.string({
  description: 'bitwarden or 1password.',
  required: true,
  options: Object.keys(words),
  ignoreStdin: true,
})

/** How a manager writes its own name. */
export const productOf: Readonly<Record<Manager, string>> = {
  bitwarden: secretProducts[secretProvider.bitwarden],
  '1password': secretProducts[secretProvider.onePassword],
}
