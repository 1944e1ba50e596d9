import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import type { ExecutionContext } from 'ava'
import type { Request } from '../../src/contract/api.js'
import { rateBuckets } from '../../src/contract/ground/endpoint.js'
import type { Role } from '../../src/contract/platform/roles.js'
import { signToken } from '../../src/lib/workspace/signed-token.js'
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.js'

type NewKey = NonNullable<Request<'POST /api/auth/keys'>['body']>

export interface Team extends TestDaemon {
  /** Headers of a token that this test signs with the workspace's secret. */
  token(claims: { role: Role; sub?: string; scope?: object; exp?: number }): { authorization: string }
  admin: { authorization: string }
  /** Creates an API key and returns the headers that present it. */
  key(fields: Partial<NewKey>): Promise<{ id: string; key: string; headers: { authorization: string } }>
}

/** Limits that no test reaches by accident. */
export const noLimits = Object.fromEntries(Object.keys(rateBuckets).map(bucket => [bucket, { max: 100_000 }]))

/** A daemon in team mode by default, without rate limits unless the settings define them. */
export async function startTeam(
  t: ExecutionContext,
  { settings, ...options }: TestDaemonOptions = {},
): Promise<Team> {
  const auth = { mode: 'team', rateLimits: noLimits, ...(settings?.auth as object) }
  const daemon = await startDaemon(t, { ...options, settings: { ...settings, auth } })
  const secret = () => readFileSync(daemon.paths.authSecret)
  const token: Team['token'] = ({ role, sub = role, scope = {}, exp = 4_102_444_800 }) =>
    bearer(signToken(secret(), { sub, role, scope, iat: 0, exp }))
  const admin = token({ role: 'admin' })
  return {
    ...daemon,
    token,
    admin,
    key: async fields => {
      const body = { name: 'a key', ...fields }
      const reply = await daemon.call('POST /api/auth/keys', { body, headers: admin })
      t.is(reply.status, 201, JSON.stringify(reply.body))
      return { id: reply.body.id, key: reply.body.key, headers: bearer(reply.body.key) }
    },
  }
}

export function bearer(credential: string): { authorization: string } {
  return { authorization: `Bearer ${credential}` }
}

/**
 * The address of a daemon on 0.0.0.0 through which callers count as another machine; undefined without a
 * network.
 */
export function fromOutside(url: string): string | undefined {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find(address => address?.family === 'IPv4' && !address.internal)
  return outside && `http://${outside.address}:${new URL(url).port}`
}
