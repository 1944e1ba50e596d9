/**
 * The words by which the API names products, beside the products themselves. Addresses, settings, ids and stored rows
 * contain these words and programs rely on them, so they do not change. Loads no schema.
 */
export const sourceKind = {
  obsidian: 'notevault',
  discord: 'chatguild',
  github: 'coderepo',
} as const

export const secretProvider = { local: 'local', bitwarden: 'vaulta', onePassword: 'vaultb' } as const

/** How a reference to a secret in a password manager begins. */
export const secretScheme = {
  bitwarden: `${secretProvider.bitwarden}://`,
  onePassword: `${secretProvider.onePassword}://`,
} as const
export type SecretScheme = (typeof secretScheme)[keyof typeof secretScheme]

export const taskHarness = { claudeCode: 'harness_a', codex: 'harness_b', openCode: 'harness_c' } as const

/** How the products of each table write their own names. */
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
