import { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type { Bitwarden, BitwardenItem, OnePassword } from '../../ground/secrets/password-vaults.js'
import { asArgument, type ProviderProgram } from './provider-program.js'

const status = z.object({
  status: z.enum(['unauthenticated', 'locked', 'unlocked']),
  serverUrl: z
    .string()
    .nullish()
    .transform(url => url ?? null),
  userEmail: z
    .string()
    .nullish()
    .transform(email => email ?? null),
})
const folders = z.array(z.object({ id: z.string().nullable(), name: z.string() }))
/** Unknown fields are kept: a rebuilt item would lose its addresses and codes. */
const item = z.looseObject({
  id: z.string(),
  name: z.string(),
  folderId: z.string().nullish(),
  login: z.looseObject({ password: z.string().nullish() }).nullish(),
})
interface Question<T> {
  session: string | undefined
  shape: z.ZodType<T>
  args: readonly string[]
  input?: string
}

type Ask = <T>(question: Question<T>) => Promise<T>

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

/** The `bw` command of Bitwarden (its formats: password-managers.md#bitwarden). */
export function createBitwarden(program: ProviderProgram): Bitwarden {
  const ask: Ask = ({ session, shape, args, input }) =>
    withRemedy(
      program.json(shape, args, { env: environmentOf(session), ...(input !== undefined && { input }) }),
    )
  return {
    status: session => ask({ session, shape: status, args: ['status'] }),
    folders: async session => {
      const all = await ask({ session, shape: folders, args: ['list', 'folders'] })
      // The folder without an id is "No Folder".
      return all.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }]))
    },
    items: async (session, folderId) => {
      const args = ['list', 'items', ...(folderId === null ? [] : ['--folderid', asArgument(folderId)])]
      const all = await ask({ session, shape: z.array(item), args })
      return all.filter(({ login }) => login !== null && login !== undefined)
    },
    password: async (session, id) => {
      const found = await undefinedIfMissing(
        ask({ session, shape: item, args: ['get', 'item', asArgument(id)] }),
      )
      return found?.login?.password ?? undefined
    },
    ...changesOf(ask),
    remove: async (session, id) => {
      await withRemedy(program.run(['delete', 'item', asArgument(id)], { env: environmentOf(session) }))
    },
  }
}

/** Values are written to standard input, because arguments are visible in the process list. */
function changesOf(ask: Ask): Pick<Bitwarden, 'create' | 'change'> {
  return {
    create: async (session, { name, value, folderId }) => {
      const login = { username: null, password: value }
      const fresh = { type: 1, name, folderId, notes: null, favorite: false, login }
      const made = await ask({ session, shape: item, args: ['create', 'item'], input: encoded(fresh) })
      return made.id
    },
    change: async (session, id, value) => {
      const old = await ask({ session, shape: item, args: ['get', 'item', asArgument(id)] })
      const input = encoded({ ...old, login: { ...old.login, password: value } })
      await ask({ session, shape: item, args: ['edit', 'item', asArgument(id)], input })
    },
  }
}

function environmentOf(session: string | undefined): Record<string, string> {
  return { BW_NOINTERACTION: 'true', ...(session !== undefined && { BW_SESSION: session }) }
}

/** A locked vault ends the session, and only its owner can create another one. */
async function withRemedy<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof AppError) || !/vault is locked|not logged in/iu.test(error.message)) throw error
    throw new AppError(
      error.code,
      `${error.message.replace(/\.$/u, '')}: run bw login and bw unlock --raw as the user of the daemon, then memory secrets provider connect bitwarden`,
    )
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Returns undefined for an item that does not exist; other failures pass. */
async function undefinedIfMissing(found: Promise<BitwardenItem>): Promise<BitwardenItem | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && /: Not found\.$/u.test(error.message)) return undefined
    throw error
  }
}

/**
 * The `op` command of 1Password, with a service account's token (its formats:
 * password-managers.md#1password).
 */
export function createOnePassword(program: ProviderProgram): OnePassword {
  const ask = <T>(token: string, shape: z.ZodType<T>, args: string[]): Promise<T> =>
    program.json(shape, [...args, '--format', 'json'], { env: tokenEnvironment(token) })
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
    read: (token, path) => program.run(['read', '-n', `op://${path}`], { env: tokenEnvironment(token) }),
  }
}

const tokenEnvironment = (token: string): Record<string, string> => ({ OP_SERVICE_ACCOUNT_TOKEN: token })
