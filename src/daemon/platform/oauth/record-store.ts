import type { Adapter, AdapterPayload } from 'oidc-provider'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import { derivedSecret } from '../../../lib/workspace/secret-file.js'
import { seal, unseal } from '../../../store/secrets/store-document.js'
import type { OauthRecordRow } from '../../../store/tables/platform/credentials.js'
import type { Ground } from '../../ground/ground.js'
import { hashOf } from '../auth/api-key.js'
import type { Auth } from '../auth/auth.js'

type Deps = Pick<Ground, 'store' | 'clock'> & { auth: Pick<Auth, 'secret'> }

/** Models that outlive a daemon; all others belong to a login in progress. */
const lasting: ReadonlySet<string> = new Set(['Client', 'Grant', 'AccessToken', 'RefreshToken'])

const dayMs = 86_400_000
/** A registered client that nobody logs in with is forgotten, since anybody may register one. */
const unusedClientMs = dayMs
const usedClientMs = 365 * dayMs
/** Logins in progress; the oldest is dropped beyond this number. */
const maxInProgress = 5_000

/**
 * Returns the stores of the library's models: texts of tokens are kept as hashes only. A login in progress is
 * in memory; where daemons share a database any of them may answer its next step, so there it is sealed.
 */
export function recordStores(deps: Deps): (model: string) => Adapter {
  const inProgress = new Map<string, InProgress>()
  const passing = deps.store.changes ? sealedStore : passingStore
  return model => (lasting.has(model) ? lastingStore : passing)(deps, model, inProgress)
}

function lastingStore({ store, clock }: Omit<Deps, 'auth'>, kind: string): Adapter {
  const at = (ms: number) => new Date(clock().getTime() + ms).toISOString()
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const row = await store.tables.oauthRecords.find(kind, hashOf(id), at(0))
    const payload = row && jsonOf(row.payload)
    return isRecord(payload) ? { ...payload, ...(kind !== 'Client' && { jti: id }) } : undefined
  }
  const write = (id: string, { jti: _token, ...payload }: AdapterPayload, lifeMs: number) =>
    store.transaction(async ({ oauthRecords }) => {
      const { grantId, clientId } = payload
      await oauthRecords.removeExpired(at(0))
      await oauthRecords.put({
        kind,
        hash: hashOf(id),
        grant_hash: grantId === undefined ? null : hashOf(grantId),
        payload: JSON.stringify(payload),
        expires_at: at(lifeMs),
      })
      if (kind === 'Grant' && clientId !== undefined)
        await oauthRecords.keep('Client', hashOf(clientId), at(usedClientMs))
    })
  return {
    upsert: (id, payload, seconds) =>
      write(id, payload, seconds === undefined ? unusedClientMs : seconds * 1000),
    find,
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: async id => {
      const payload = await find(id)
      const nowSeconds = Math.floor(clock().getTime() / 1000)
      if (payload)
        await write(id, { ...payload, consumed: nowSeconds }, ((payload.exp ?? 0) - nowSeconds) * 1000)
    },
    destroy: id => store.transaction(tables => tables.oauthRecords.remove(kind, hashOf(id))),
    revokeByGrantId: grantId =>
      store.transaction(tables => tables.oauthRecords.removeOfGrant(hashOf(grantId))),
  }
}

interface InProgress {
  model: string
  payload: AdapterPayload
  until: number
}

function passingStore({ clock }: Pick<Deps, 'clock'>, model: string, all: Map<string, InProgress>): Adapter {
  const nameOf = (id: string) => `${model} ${id}`
  const findWhere = async (fits: (payload: AdapterPayload) => boolean): Promise<AdapterPayload | undefined> =>
    [...all.values()].find(one => one.model === model && isLive(one) && fits(one.payload))?.payload
  const isLive = ({ until }: InProgress) => until > clock().getTime()
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const one = all.get(nameOf(id))
    return one && isLive(one) ? one.payload : undefined
  }
  return {
    upsert: async (id, payload, seconds = 0) => {
      all.delete(nameOf(id))
      all.set(nameOf(id), { model, payload: kept(model, payload), until: clock().getTime() + seconds * 1000 })
      for (const [name, one] of all) if (!isLive(one) || all.size > maxInProgress) all.delete(name)
    },
    find,
    findByUserCode: userCode => findWhere(payload => payload.userCode === userCode),
    findByUid: uid => findWhere(payload => payload.uid === uid),
    consume: async id => {
      const payload = await find(id)
      if (payload) payload.consumed = Math.floor(clock().getTime() / 1000)
    },
    destroy: async id => void all.delete(nameOf(id)),
    revokeByGrantId: async grantId => {
      for (const [name, { payload }] of all) if (payload.grantId === grantId) all.delete(name)
    },
  }
}

/** Stores logins in progress in the database, under the secret that its daemons share. */
function sealedStore({ store, clock, auth }: Deps, model: string): Adapter {
  const at = (ms: number) => new Date(clock().getTime() + ms).toISOString()
  const key = () => derivedSecret(auth.secret(), 'logins in progress')
  const find = async (id: string, kind = model): Promise<AdapterPayload | undefined> => {
    const hash = hashOf(id)
    const row = await store.tables.oauthRecords.find(kind, hash, at(0))
    const payload = row && jsonOf(opened(key(), row.payload, `${kind} ${hash}`))
    return isRecord(payload) ? payload : undefined
  }
  /** By another name than its id. */
  const findNamed = async (field: NameField, name: string): Promise<AdapterPayload | undefined> => {
    const named = await find(name, kindOfName(model, field))
    return named?.jti === undefined ? undefined : find(named.jti)
  }
  const upsert = async (id: string, payload: AdapterPayload, seconds = 0): Promise<void> => {
    const rowOf = (kind: string, name: string, content: AdapterPayload): OauthRecordRow => ({
      kind,
      hash: hashOf(name),
      grant_hash: payload.grantId === undefined ? null : hashOf(payload.grantId),
      payload: sealed(key(), JSON.stringify(content), `${kind} ${hashOf(name)}`),
      expires_at: at(seconds * 1000),
    })
    const rows = [rowOf(model, id, kept(model, payload))]
    for (const field of nameFields) {
      const name = payload[field]
      if (name !== undefined && name !== id) rows.push(rowOf(kindOfName(model, field), name, { jti: id }))
    }
    await store.write({ until: 'committed' }, async ({ oauthRecords }) => {
      await oauthRecords.removeExpired(at(0))
      for (const row of rows) {
        await oauthRecords.put(row)
        await oauthRecords.removeBeyond(row.kind, maxInProgress)
      }
    })
  }
  return {
    upsert,
    find: id => find(id),
    findByUserCode: code => findNamed('userCode', code),
    findByUid: uid => findNamed('uid', uid),
    consume: async id => {
      const payload = await find(id)
      const nowSeconds = Math.floor(clock().getTime() / 1000)
      if (payload) await upsert(id, { ...payload, consumed: nowSeconds }, (payload.exp ?? 0) - nowSeconds)
    },
    destroy: id => store.transaction(tables => tables.oauthRecords.remove(model, hashOf(id))),
    revokeByGrantId: grantId =>
      store.transaction(tables => tables.oauthRecords.removeOfGrant(hashOf(grantId))),
  }
}

const nameFields = ['uid', 'userCode'] as const
type NameField = (typeof nameFields)[number]

function kindOfName(model: string, field: NameField): string {
  return `${model} ${field}`
}

function sealed(key: Buffer, text: string, place: string): string {
  return JSON.stringify(seal(key, Buffer.from(text), place))
}

/** Empty when it was sealed with another secret. */
function opened(key: Buffer, text: string, place: string): string {
  try {
    return unseal(key, JSON.parse(text), place).toString()
  } catch {
    return ''
  }
}

/** A browser stays logged in for no second login: each one asks for the credential. */
function kept(model: string, payload: AdapterPayload): AdapterPayload {
  if (model !== 'Session') return payload
  const { accountId: _account, loginTs: _time, authorizations: _clients, ...rest } = payload
  return rest
}
