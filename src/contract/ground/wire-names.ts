/**
 * The API's names of products. Addresses, settings, ids and stored rows contain them and programs rely on
 * them, so they must not change. Loads no schema.
 */
export const sourceKind = {
  obsidian: 'notevault',
  discord: 'chatguild',
  github: 'coderepo',
} as const

export const secretProvider = { local: 'local', bitwarden: 'vaulta', onePassword: 'vaultb' } as const

/** Prefix of a reference to a secret in a password manager. */
export const secretScheme = {
  bitwarden: `${secretProvider.bitwarden}://`,
  onePassword: `${secretProvider.onePassword}://`,
} as const
export type SecretScheme = (typeof secretScheme)[keyof typeof secretScheme]

export const taskHarness = { claudeCode: 'harness_a', codex: 'harness_b', openCode: 'harness_c' } as const

/** Display names of the products. */
export const sourceProducts = {
  [sourceKind.obsidian]: 'Obsidian',
  [sourceKind.discord]: 'Discord',
  [sourceKind.github]: 'GitHub',
} as const

export const secretProducts = {
  [secretProvider.bitwarden]: 'Bitwarden',
  [secretProvider.onePassword]: '1Password',
} as const

export const harnessProducts = {
  [taskHarness.claudeCode]: 'Claude Code',
  [taskHarness.codex]: 'Codex',
  [taskHarness.openCode]: 'OpenCode',
} as const
