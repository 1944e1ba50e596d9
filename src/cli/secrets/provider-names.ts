import { Args } from '@oclif/core'

/** Words of the API for password managers, by the names that people know. */
const words = { bitwarden: 'vaulta', '1password': 'vaultb' } as const

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
  bitwarden: 'Bitwarden',
  '1password': '1Password',
}
