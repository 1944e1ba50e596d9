import { existsSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import type { MoveNote, NamedStore } from '../../../../contract/operations/storage.js'
import { renamePatiently } from '../../../../lib/files/patient-rename.js'
import type { WorkspacePaths } from '../../../../lib/workspace/paths.js'
import { StoreRefused } from '../../../../store/faults.js'
import type { PostgresSettings } from '../../../../store/postgres/settings.js'
import { openStore } from '../../../../store/sqlite/database.js'
import type { Store } from '../../../../store/store.js'
import type { Secrets } from '../../../ground/secrets/secrets.js'
import { removeDerived } from '../../../ground/storage/derived-files.js'
import { serverUrl } from '../../../ground/storage/server-url.js'
import { incomingFile, oldFile } from './move-note.js'

export interface MoveDeps {
  paths: WorkspacePaths
  secrets: Pick<Secrets, 'resolve'>
  clock: () => Date
}

/** Names of schemas have 63 bytes at most. */
const longestBase = 44
const beginningOf = (schema: string): string => schema.slice(0, longestBase)

/** The schema that a move fills, which no setting names. */
const incomingSchema = ({ to }: MoveNote): string => `${beginningOf(to.schema)}_incoming`
const oldSchema = ({ from, id }: MoveNote): string => `${beginningOf(from.schema)}_moved_${id}`

/** Opens the store that a move leaves. */
export function openSource({ paths, ...deps }: MoveDeps, { from }: MoveNote): Store | Promise<Store> {
  return from.postgres === undefined
    ? openStore(paths.database, deps.clock())
    : openServer(deps, from.postgres, from.schema)
}

/** Opens the store that a move fills: a file or schema of its own, until all rows have arrived. */
export async function openIncoming(deps: MoveDeps, note: MoveNote): Promise<Store> {
  const { to } = note
  if (to.postgres === undefined) return openStore(incomingFile(deps.paths), deps.clock())
  const { findSchema, makeSchema } = await import('../../../../store/postgres/schemas.js')
  const incoming = await settingsOf(deps, to.postgres, incomingSchema(note))
  const found = await findSchema(incoming)
  if (found.state === 'taken' && found.madeBy !== note.id)
    throw new StoreRefused(
      `the schema ${incoming.schema} of an earlier move is there; drop it: DROP SCHEMA ${incoming.schema} CASCADE`,
    )
  await makeSchema(incoming, note.id)
  return openServer(deps, to.postgres, incoming.schema)
}

/** Gives the new store its name; done again after a kill, it changes nothing. */
export async function placeIncoming(deps: MoveDeps, note: MoveNote): Promise<void> {
  const { to } = note
  if (to.postgres === undefined) return placeFile(deps.paths)
  const { findSchema, placeSchema } = await import('../../../../store/postgres/schemas.js')
  const placed = await findSchema(await settingsOf(deps, to.postgres, to.schema))
  if (placed.madeBy === note.id) return
  await placeSchema(await settingsOf(deps, to.postgres, incomingSchema(note)), to.schema)
}

async function placeFile(paths: WorkspacePaths): Promise<void> {
  const incoming = incomingFile(paths)
  if (!existsSync(incoming)) return
  for (const ending of ['', '-wal', '-shm']) await rm(paths.database + ending, { force: true, maxRetries: 5 })
  await removeDerived(paths)
  await renamePatiently(incoming, paths.database)
}

/** Takes the old store out of use, so that no daemon changes it. @returns where it is kept */
export async function setOldAside(deps: MoveDeps, note: MoveNote): Promise<NamedStore> {
  const { from } = note
  if (from.postgres === undefined) return setFileAside(deps.paths)
  const { findSchema, setSchemaAside } = await import('../../../../store/postgres/schemas.js')
  const { placeOf } = await import('../../../../store/postgres/settings.js')
  const schema = oldSchema(note)
  const kept = await settingsOf(deps, from.postgres, schema)
  if ((await findSchema(kept)).state === 'absent')
    await setSchemaAside(await settingsOf(deps, from.postgres, from.schema), schema)
  return { postgres: from.postgres, schema, place: placeOf(kept) }
}

const readOnly = 0o400

async function setFileAside(paths: WorkspacePaths): Promise<NamedStore> {
  const kept = oldFile(paths)
  for (const ending of ['-wal', '-shm', ''])
    if (existsSync(paths.database + ending)) await renamePatiently(paths.database + ending, kept + ending)
  await chmod(kept, readOnly)
  return { schema: 'memory', place: kept }
}

/** Removes a new store that is not complete. */
export async function removeIncoming(deps: MoveDeps, note: MoveNote): Promise<void> {
  const { to } = note
  if (to.postgres === undefined) {
    for (const ending of ['', '-wal', '-shm'])
      await rm(incomingFile(deps.paths) + ending, { force: true, maxRetries: 5 })
    return
  }
  const { dropSchema, findSchema } = await import('../../../../store/postgres/schemas.js')
  const incoming = await settingsOf(deps, to.postgres, incomingSchema(note))
  if ((await findSchema(incoming)).madeBy === note.id) await dropSchema(incoming)
}

/** Removes the old store on a server permanently; a file goes with the folder of the move. */
export async function removeOld(deps: Pick<MoveDeps, 'secrets'>, { old }: MoveNote): Promise<void> {
  if (old?.postgres === undefined) return
  const { dropSchema } = await import('../../../../store/postgres/schemas.js')
  await dropSchema(await settingsOf(deps, old.postgres, old.schema))
}

export async function settingsOf(
  { secrets }: Pick<MoveDeps, 'secrets'>,
  reference: string,
  schema: string,
): Promise<PostgresSettings> {
  return { url: await serverUrl(reference, secrets), schema }
}

async function openServer(
  deps: Pick<MoveDeps, 'secrets' | 'clock'>,
  reference: string,
  schema: string,
): Promise<Store> {
  const { openPostgres } = await import('../../../../store/postgres/database.js')
  return openPostgres(await settingsOf(deps, reference, schema), deps.clock())
}
