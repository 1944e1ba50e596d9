import { AppError } from '../../../contract/ground/errors.js'
import { secretName } from '../../../contract/secrets/names.js'
import type {
  Bitwarden,
  BitwardenItem,
  BitwardenProvider,
  ProviderStateFile,
} from '../../ground/secrets/password-vaults.js'

interface Parts {
  bitwarden: Bitwarden
  state: ProviderStateFile
  session(): Promise<string>
}

/** Bitwarden as the secret store: one item per secret in the chosen folder, found by its exact name. */
export function bitwardenProvider({ bitwarden, state, session }: Parts): BitwardenProvider {
  const remember = (name: string, id: string | undefined): void => {
    const { [name]: _, ...others } = state.read().items
    state.change({ items: id === undefined ? others : { ...others, [name]: id } })
  }
  const find = async (name: string): Promise<string | undefined> => {
    const known = state.read().items[name]
    if (known !== undefined) return known
    const items = await bitwarden.items(await session(), state.read().folderId)
    const id = uniqueItem(items, name)?.id
    if (id !== undefined) remember(name, id)
    return id
  }
  const create: BitwardenProvider['create'] = async (name, value) =>
    remember(name, await bitwarden.create(await session(), { name, value, folderId: state.read().folderId }))
  return {
    create,
    names: async () => {
      const items = await bitwarden.items(await session(), state.read().folderId)
      return [...new Set(items.map(({ name }) => name))]
        .filter(name => secretName.safeParse(name).success)
        .sort()
    },
    get: async name => {
      const id = await find(name)
      const value = id === undefined ? undefined : await bitwarden.password(await session(), id)
      if (value !== undefined || id === undefined) return value
      // The item was deleted, and another one with the name may exist.
      remember(name, undefined)
      const other = await find(name)
      return other === undefined ? undefined : bitwarden.password(await session(), other)
    },
    set: async (name, value) => {
      const id = await find(name)
      if (id !== undefined) return bitwarden.change(await session(), id, value)
      await create(name, value)
    },
    remove: async name => {
      const id = await find(name)
      if (id === undefined) return false
      await bitwarden.remove(await session(), id)
      remember(name, undefined)
      return true
    },
  }
}

/** @throws AppError `conflict` when two items have the name: guessing could return the wrong password */
function uniqueItem(items: readonly BitwardenItem[], name: string): BitwardenItem | undefined {
  const [first, second] = items.filter(item => item.name === name)
  if (second)
    throw new AppError(
      'conflict',
      `Bitwarden has more than one item named ${name}; rename one, or name it by vaulta://item/ITEM_ID/password`,
    )
  return first
}
