import { Args } from '@oclif/core'
import { secretProducts, secretProvider } from '../../contract/ground/wire-names.js'

/** Password managers: product words and their names in the API. */
const words = { bitwarden: secretProvider.bitwarden, '1password': secretProvider.onePassword } as const

export type Manager = keyof typeof words

export const managerArg = Args.string({
  description: 'bitwarden or 1password.',
  required: true,
  options: Object.keys(words),
  ignoreStdin: true,
})

/** Spelling of the product names. */
export const productOf: Readonly<Record<Manager, string>> = {
  bitwarden: secretProducts[secretProvider.bitwarden],
  '1password': secretProducts[secretProvider.onePassword],
}
