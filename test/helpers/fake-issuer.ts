import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** An issuer of tokens as Keycloak and Entra are: discovery, keys that change, signed access tokens. */
export interface FakeIssuer {
  url: string
  /** Signs a token of ten minutes; claims override the usual ones. */
  token(claims?: JWTPayload): Promise<string>
  /** Signs with a new key from now on, which only the key list names. */
  rotate(): Promise<void>
  /** Requests for each path so far. */
  asked: Map<string, number>
}

/** @param path of the issuer below its host, as Keycloak's realms have one. */
export async function startFakeIssuer(t: ExecutionContext, path = '/realms/team'): Promise<FakeIssuer> {
  const asked = new Map<string, number>()
  const pairs = [await newPair('first')]
  const server = createServer((request, response) => {
    const place = request.url ?? ''
    asked.set(place, (asked.get(place) ?? 0) + 1)
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (place === `${path}/.well-known/openid-configuration`)
      return send(200, {
        issuer: url,
        jwks_uri: `${url}/protocol/openid-connect/certs`,
        authorization_endpoint: `${url}/protocol/openid-connect/auth`,
        token_endpoint: `${url}/protocol/openid-connect/token`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (place === `${path}/protocol/openid-connect/certs`)
      return send(200, { keys: pairs.map(({ publicJwk }) => publicJwk) })
    return send(404, { error: 'not found' })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  return {
    url,
    asked,
    rotate: async () => void pairs.unshift(await newPair(`key ${pairs.length + 1}`)),
    token: async (claims = {}) => {
      const [{ privateKey, kid }] = pairs as [Pair]
      const now = Math.floor(Date.now() / 1000)
      const usual = { iss: url, sub: 'f3a1', iat: now, exp: now + 600, preferred_username: 'maya' }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .sign(privateKey)
    },
  }
}

interface Pair {
  kid: string
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  publicJwk: JWK
}

async function newPair(kid: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}
