import type { Kysely, Selectable } from 'kysely'
import type { ApiKeysTable } from '../../schema/platform-schema.js'
import type { Schema } from '../../schema/schema.js'

export type ApiKeyRow = Selectable<ApiKeysTable>

export function apiKeysTable(db: Kysely<Schema>) {
  return {
    insert: async (row: ApiKeyRow): Promise<void> => {
      await db.insertInto('api_keys').values(row).execute()
    },
    /** @param hash SHA-256 of the whole key in hex, so the look-up time reveals nothing about the key. */
    byHash: (hash: string): Promise<ApiKeyRow | undefined> =>
      db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst(),
    byIdOrPrefix: (text: string): Promise<ApiKeyRow[]> =>
      db
        .selectFrom('api_keys')
        .selectAll()
        .where(eb => eb.or([eb('id', '=', text), eb('prefix', '=', text)]))
        .execute(),
    /** Newest first. */
    list: (): Promise<ApiKeyRow[]> =>
      db.selectFrom('api_keys').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').execute(),
    /** Revokes a key; a revoked key keeps its original time. */
    revoke: async (id: string, now: string): Promise<void> => {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
    },
    noteUse: async (id: string, now: string): Promise<void> => {
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute()
    },
  }
}
