import { z } from 'zod'
import type { OnePassword } from '../../ground/secrets/password-vaults.js'
import { asArgument, type ProviderProgram } from './provider-program.js'

const vaults = z.array(z.object({ id: z.string(), name: z.string() }))
const items = z.array(z.object({ id: z.string(), title: z.string() }))
const details = z.object({
  fields: z
    .array(
      z.object({
        id: z.string(),
        type: z.string(),
        purpose: z.string().optional(),
        label: z.string().optional(),
        value: z.string().optional(),
      }),
    )
    .default([]),
})

/** Placeholder of a value that was not revealed. */
const hint = /^\[use 'op item get .*--reveal' to reveal\]$/u

/**
 * The `op` command of 1Password, with a service account's token (its formats:
 * password-managers.md#1password).
 */
export function createOnePassword(program: ProviderProgram): OnePassword {
  const ask = <T>(token: string, shape: z.ZodType<T>, args: string[]): Promise<T> =>
    program.json(shape, [...args, '--format', 'json'], { env: environmentOf(token) })
  return {
    vaults: token => ask(token, vaults, ['vault', 'list']),
    items: (token, vaultId) => ask(token, items, ['item', 'list', '--vault', asArgument(vaultId)]),
    hiddenFields: async (token, vaultId, itemId) => {
      const { fields } = await ask(token, details, [
        'item',
        'get',
        asArgument(itemId),
        '--vault',
        asArgument(vaultId),
        '--reveal',
      ])
      return fields.flatMap(({ id, type, label, value }) =>
        type === 'CONCEALED' && value && !hint.test(value) ? [{ id, label: label ?? id, value }] : [],
      )
    },
    read: (token, path) => program.run(['read', '-n', `op://${path}`], { env: environmentOf(token) }),
  }
}

const environmentOf = (token: string): Record<string, string> => ({ OP_SERVICE_ACCOUNT_TOKEN: token })
