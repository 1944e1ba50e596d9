import { createHmac, generateKeyPairSync } from 'node:crypto'
import { type Configuration, errors, type JWK, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Ground } from '../../ground/ground.js'
import type { Auth } from '../auth/auth.js'
import { accountById } from '../auth/login-account.js'
import { allScopes, resourcesOf } from '../auth/public-address.js'
import { codePage, confirmPage, messagePage } from './pages.js'
import { recordStores } from './record-store.js'

const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device/code',
  code_verification: '/oauth/device',
  end_session: '/oauth/end',
} as const

/** The page on which a person logs in; the id of the login follows. */
const loginPath = '/oauth/login'

/** Seconds. A refresh token lives as long as it is used once in this time. */
const life = { access: 3_600, refresh: 30 * 86_400, login: 600 }

export interface ProviderOptions {
  /** The address of the daemon, which is the issuer. */
  address: string
  deps: Pick<Ground, 'store' | 'clock' | 'log'> & { auth: Auth }
  /** Reads a client's own description (CIMD); tests pass another. */
  fetch?: Configuration['fetch']
}

/**
 * Creates the authorization server of a team (team.md): a login by credentials that the team has, tokens for
 * this daemon alone.
 */
export function createProvider({ address, deps, fetch }: ProviderOptions): Provider {
  const provider = new Provider(address, {
    adapter: recordStores(deps),
    ...(fetch && { fetch }),
    ...grants(address),
    clientAuthMethods: ['none', 'private_key_jwt'],
    // Programs on a person's machine are the usual clients, with addresses there.
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
    },
    cookies: {
      keys: [createHmac('sha256', deps.auth.secret()).update('cookies of the login').digest('hex')],
    },
    findAccount: async (_context, id) => {
      const account = await accountById(deps, id)
      return account && { accountId: account.id, claims: () => ({ sub: account.id }) }
    },
    interactions: { url: (_context, { uid }) => `${loginPath}/${uid}` },
    jwks: { keys: [signingKey()] },
    routes: oauthPaths,
    features: features(address),
    renderError: (context, { error, error_description: why }) =>
      show(context, messagePage('This login failed', [error, why].filter(Boolean).join(': '))),
  })
  provider.proxy = true
  provider.on('server_error', (_context, error) => {
    deps.log.error({ err: { message: error.message, stack: error.stack } }, 'a login failed')
  })
  return provider
}

function grants(address: string): Configuration {
  return {
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    expiresWithSession: () => false,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    // Each login asks: no consent is taken from an earlier one.
    loadExistingGrant: ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId)
    },
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    scopes: [...allScopes],
    ttl: {
      AccessToken: life.access,
      AuthorizationCode: 60,
      DeviceCode: life.login,
      Grant: life.refresh,
      Interaction: life.login,
      RefreshToken: life.refresh,
      Session: life.login,
    },
    extraTokenClaims: () => ({ iss: address }),
  }
}

function features(address: string): Configuration['features'] {
  const off = { enabled: false }
  return {
    devInteractions: off,
    dPoP: off,
    rpInitiatedLogout: off,
    userinfo: off,
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (context, form, _out, error) =>
        show(context, codePage(form, error && 'This code is not known, or it has expired.')),
      userCodeConfirmSource: (context, form, client, _device, code) =>
        show(context, confirmPage(form, client.clientName ?? client.clientId, code)),
      successSource: context =>
        show(context, messagePage('Connected', 'You can close this page and return to the device.')),
    },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, _client, oneOf) => (oneOf as string | undefined) ?? address,
      getResourceServerInfo: (_context, resource) => {
        if (!resourcesOf(address).includes(resource)) throw new errors.InvalidTarget()
        return { scope: allScopes.join(' '), accessTokenFormat: 'opaque', accessTokenTTL: life.access }
      },
      useGrantedResource: () => true,
    },
  }
}

function show(context: KoaContextWithOIDC, html: string): void {
  context.type = 'html'
  context.body = html
}

/** Signs identity tokens, which nobody gets; the library wants a key. */
function signingKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), alg: 'ES256', use: 'sig' }
}
