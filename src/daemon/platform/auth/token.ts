import { randomBytes } from 'node:crypto'
import { type Scope, type TokenClaims, tokenClaims } from '../../../contract/platform/auth.js'
import type { Role } from '../../../contract/platform/roles.js'
import { derivedSecret } from '../../../lib/workspace/secret-file.js'
import { openToken, signToken } from '../../../lib/workspace/signed-token.js'
import type { Ground } from '../../ground/ground.js'
import type { Auth } from './auth.js'

export interface IssuedToken {
  token: string
  expiresAt: string
}

/** Signs a token that is valid for `ttlSeconds` (security.md 5.2). */
export function mintToken(
  { auth, clock }: Pick<Ground, 'clock'> & { auth: Pick<Auth, 'secret'> },
  { sub, role, scope }: { sub: string; role: Role; scope: Scope },
  ttlSeconds: number,
): IssuedToken {
  const iat = Math.floor(clock().getTime() / 1000)
  const exp = iat + ttlSeconds
  const claims: TokenClaims = { sub, role, scope, iat, exp }
  return { token: signToken(auth.secret(), claims), expiresAt: new Date(exp * 1000).toISOString() }
}

/** The key of confirm tokens: one of this process, or the one of all daemons that share a database. */
export function signingKeyOf({ secret }: Pick<Auth, 'secret'>, isShared: boolean): Buffer {
  return isShared ? derivedSecret(secret(), 'confirm tokens') : randomBytes(32)
}

/** The claims of a genuine unexpired token; undefined for any other text. */
export function readToken(secret: Buffer, token: string, now: Date): TokenClaims | undefined {
  const { data: claims } = tokenClaims.safeParse(openToken(secret, token))
  return claims && claims.exp * 1000 > now.getTime() ? claims : undefined
}
