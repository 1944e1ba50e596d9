import type { Kysely, Selectable } from 'kysely'
import type { ApiKeysTable, OauthRecordsTable } from '../../schema/platform-schema.js'
import type { Schema } from '../../schema/schema.js'

export type OauthRecordRow = Selectable<OauthRecordsTable>

export type ApiKeyRow = Selectable<ApiKeysTable>

export function oauthRecordsTable(db: Kysely<Schema>) {
  return {
    put: async (row: OauthRecordRow): Promise<void> => {
      const { payload, expires_at, grant_hash } = row
      await db
        .insertInto('oauth_records')
        .values(row)
        .onConflict(conflict =>
          conflict.columns(['kind', 'hash']).doUpdateSet({ payload, expires_at, grant_hash }),
        )
        .execute()
    },
    /** @param now rows that have expired by then are not found. */
    find: (kind: string, hash: string, now: string): Promise<OauthRecordRow | undefined> =>
      db
        .selectFrom('oauth_records')
        .selectAll()
        .where('kind', '=', kind)
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    remove: async (kind: string, hash: string): Promise<void> => {
      await db.deleteFrom('oauth_records').where('kind', '=', kind).where('hash', '=', hash).execute()
    },
    /** Removes the tokens of a consent. */
    removeOfGrant: async (grantHash: string): Promise<void> => {
      await db.deleteFrom('oauth_records').where('grant_hash', '=', grantHash).execute()
    },
    /** Lets a record live until a time. */
    keep: async (kind: string, hash: string, until: string): Promise<void> => {
      await db
        .updateTable('oauth_records')
        .set({ expires_at: until })
        .where('kind', '=', kind)
        .where('hash', '=', hash)
        .execute()
    },
    /** Removes all but the records of a kind that expire last. */
    removeBeyond: async (kind: string, count: number): Promise<void> => {
      await db
        .deleteFrom('oauth_records')
        .where('kind', '=', kind)
        .where('expires_at', '<', eb =>
          eb
            .selectFrom('oauth_records')
            .select('expires_at')
            .where('kind', '=', kind)
            .orderBy('expires_at', 'desc')
            .limit(1)
            .offset(count),
        )
        .execute()
    },
    removeExpired: async (now: string): Promise<void> => {
      await db.deleteFrom('oauth_records').where('expires_at', '<=', now).execute()
    },
  }
}

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
