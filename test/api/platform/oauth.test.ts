import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as oauth from 'oauth4webapi'
import { pino } from 'pino'
import { startDaemon } from '../../helpers/daemon.js'
import { loginBrowser } from '../../helpers/oauth-browser.js'
import { bearer, startTeam, type Team } from '../../helpers/team.js'

const redirectUri = 'http://127.0.0.1:9999/callback'
const insecure = { [oauth.allowInsecureRequests]: true }

/** Looks up the metadata and registers a client. */
async function discover(team: Team) {
  const resource = new URL(`${team.url}/mcp`)
  const found = await oauth.resourceDiscoveryRequest(resource, insecure)
  const described = await oauth.processResourceDiscoveryResponse(resource, found)
  const issuer = new URL(described.authorization_servers?.[0] ?? '')
  const metadata = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, metadata)
  const registered = await oauth.dynamicClientRegistrationRequest(
    server,
    {
      client_name: 'A client',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
    insecure,
  )
  const client = await oauth.processDynamicClientRegistrationResponse(registered)
  return { server, client, described, resource: described.resource }
}

type RegisteredClient = Awaited<ReturnType<typeof discover>>

async function authorizationUrl(
  { server, client, resource }: RegisteredClient,
  fields: Record<string, string> = {},
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = String(
    new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'recall remember',
      state: 'some',
      resource,
      ...fields,
    }),
  )
  return { url, verifier }
}

async function tokensFor({ server, client, resource }: RegisteredClient, answer: URL, verifier: string) {
  const checked = oauth.validateAuthResponse(server, client, answer, 'some')
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    checked,
    redirectUri,
    verifier,
    { additionalParameters: { resource }, ...insecure },
  )
  return oauth.processAuthorizationCodeResponse(server, client, response)
}

async function logIn(t: ExecutionContext, team: Team, key: string, fields: Record<string, string> = {}) {
  const known = await discover(team)
  const { url, verifier } = await authorizationUrl(known, fields)
  const answer = await loginBrowser(t, team.url).logIn(url, { key })
  return { known, answer, tokens: await tokensFor(known, answer, verifier) }
}

test('a client logs in from nothing to a recall, within the scopes and the key (team.md)', async t => {
  const team = await startTeam(t)
  const refused = await fetch(`${team.url}/mcp`, { method: 'POST', body: '{}' })
  const challenge = refused.headers.get('www-authenticate') ?? ''
  t.true(challenge.includes(`resource_metadata="${team.url}/.well-known/oauth-protected-resource/mcp"`))
  const { key } = await team.key({ name: 'maya', role: 'agent' })
  const { tokens, known } = await logIn(t, team, key, { scope: 'recall remember admin' })
  t.is(tokens.scope, 'recall remember')
  t.is(known.described.resource, `${team.url}/mcp`)
  const headers = bearer(tokens.access_token)
  const saved = await team.call('POST /api/memory/remember', {
    body: { content: 'the pier is open' },
    headers,
  })
  t.is(saved.status, 200, JSON.stringify(saved.body))
  const found = await team.call('POST /api/memory/recall', { body: { query: 'pier' }, headers })
  t.is(found.body.results.length, 1)
  const who = await team.call('GET /api/auth/whoami', { headers })
  t.like(who.body, { actor: 'maya', role: 'agent', permissions: ['remember', 'recall'], credential: 'token' })
  const beyond = await team.call('POST /api/memory/forget', {
    body: { ids: [saved.body.id], reason: 'x' } as never,
    headers,
  })
  t.is(beyond.status, 403)
  t.regex(beyond.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="forget"/)
})

test('a refresh token works once, and its second use ends the login (team.md)', async t => {
  const team = await startTeam(t)
  const { key } = await team.key({ name: 'maya' })
  const { tokens, known } = await logIn(t, team, key)
  const refresh = async (token: string) => {
    const response = await oauth.refreshTokenGrantRequest(
      known.server,
      known.client,
      oauth.None(),
      token,
      insecure,
    )
    return oauth.processRefreshTokenResponse(known.server, known.client, response)
  }
  const next = await refresh(tokens.refresh_token ?? '')
  t.is((await whoami(team, next.access_token)).status, 200)
  await t.throwsAsync(refresh(tokens.refresh_token ?? ''), { message: /invalid_grant|server responded/ })
  t.is((await whoami(team, next.access_token)).status, 401)
  await t.throwsAsync(refresh(next.refresh_token ?? ''))
})

test('a login ends with the key or the password that it was made with (team.md)', async t => {
  const team = await startTeam(t, { environment: { SERVICE_ADMIN_PASSWORD: 'open sesame' } })
  const { id, key } = await team.key({ name: 'maya' })
  const { tokens } = await logIn(t, team, key)
  t.is((await whoami(team, tokens.access_token)).status, 200)
  await team.call('DELETE /api/auth/keys/:idOrPrefix', { params: { idOrPrefix: id }, headers: team.admin })
  t.is((await whoami(team, tokens.access_token)).status, 401)
  const known = await discover(team)
  const { url, verifier } = await authorizationUrl(known, { scope: 'recall' })
  const browser = loginBrowser(t, team.url)
  const { url: page } = await browser.open(url)
  const wrong = await browser.open(page, { decision: 'allow', username: 'admin', password: 'open' })
  t.is(wrong.status, 401)
  t.regex(wrong.html, /The credential is not valid/)
  const form = { decision: 'allow', username: 'admin', password: 'open sesame' }
  const { url: answer } = await browser.open(page, form)
  const admin = await tokensFor(known, answer, verifier)
  const who = await whoami(team, admin.access_token)
  // Without the scope admin nobody is one: that role bypasses scopes.
  t.like(who.body, { actor: 'admin', role: 'operator', permissions: ['recall'] })
  // On a copy of the database alone nobody can try passwords.
  const texts = await databaseTexts(team)
  t.true(texts.some(text => /"admin:[0-9a-f]{64}"/u.test(text)))
  const digest = createHash('sha256').update('admin open sesame').digest('hex')
  t.false(texts.some(text => text.includes(digest)))
})

test('tokens are refused when they expired, or when the daemon has another address (team.md)', async t => {
  const state = { ahead: 0 }
  const team = await startTeam(t, { clock: () => new Date(Date.now() + state.ahead) })
  const { key } = await team.key({ name: 'maya' })
  const { tokens } = await logIn(t, team, key)
  const { port } = new URL(team.url)
  const elsewhere = await fetch(`http://localhost:${port}/api/auth/whoami`, {
    headers: bearer(tokens.access_token),
  })
  t.is(elsewhere.status, 401)
  state.ahead = 3_601_000
  const late = await whoami(team, tokens.access_token)
  t.is(late.status, 401)
  t.regex(late.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
})

test('a login for another resource, without PKCE or denied gives no code (team.md)', async t => {
  const team = await startTeam(t)
  const known = await discover(team)
  const browser = loginBrowser(t, team.url)
  const other = await authorizationUrl(known, { resource: 'https://other.example/mcp' })
  t.is((await browser.open(other.url)).url.searchParams.get('error'), 'invalid_target')
  const { url: plain } = await authorizationUrl(known)
  plain.searchParams.delete('code_challenge')
  t.is((await browser.open(plain)).url.searchParams.get('error'), 'invalid_request')
  const { url } = await authorizationUrl(known)
  const page = await browser.open(url)
  t.regex(page.html, /<strong>A client<\/strong> \(127\.0\.0\.1:9999\)/)
  t.is((await browser.open(page.url, { decision: 'deny' })).url.searchParams.get('error'), 'access_denied')
  const { url: stranger } = await authorizationUrl(known)
  const { url: begun } = await browser.open(stranger)
  t.is((await loginBrowser(t, team.url).open(begun)).status, 400, 'the page of another browser')
})

test('local mode and a daemon without a known address offer no login (team.md)', async t => {
  const team = await startDaemon(t)
  t.is((await fetch(`${team.url}/.well-known/oauth-protected-resource`)).status, 404)
  t.is((await fetch(`${team.url}/.well-known/oauth-authorization-server`)).status, 404)
  const off = await startTeam(t, { settings: { auth: { oauth: { enabled: false } } } })
  t.is((await fetch(`${off.url}/.well-known/oauth-protected-resource/mcp`)).status, 404)
  t.is((await fetch(`${off.url}/api/status`)).headers.get('www-authenticate'), 'Bearer')
})

test('behind a proxy all addresses are those of auth.publicUrl (team.md)', async t => {
  const publicUrl = 'https://memory.example.org'
  const team = await startTeam(t, { settings: { auth: { publicUrl } } })
  const metadata = await fetch(`${team.url}/.well-known/oauth-authorization-server`)
  const server = (await metadata.json()) as Record<string, unknown>
  t.like(server, {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    device_authorization_endpoint: `${publicUrl}/oauth/device/code`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    client_id_metadata_document_supported: true,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  })
  t.deepEqual(server.scopes_supported, [
    ...['remember', 'recall', 'modify', 'forget', 'recover', 'documents'],
    ...['connectors', 'diagnostics', 'analytics', 'relay', 'admin'],
    // The library always lists it; no login grants it.
    'openid',
  ])
})

test('codes, tokens and keys of a login are in no log and not in the database (team.md)', async t => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const team = await startTeam(t, { log })
  const { key } = await team.key({ name: 'maya' })
  const { tokens, answer } = await logIn(t, team, key)
  await whoami(team, tokens.access_token)
  await fetch(`${team.url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ code: 'never' }) })
  const secrets = [key, answer.searchParams.get('code'), tokens.access_token, tokens.refresh_token]
  const files = [lines.join(''), ...(await databaseTexts(team))]
  t.regex(files[0] ?? '', /logged in over OAuth/)
  t.true(files.length > 1)
  for (const secret of secrets)
    t.false(
      files.some(text => text.includes(secret ?? '')),
      secret ?? 'missing',
    )
})

/** The texts of the database: its files with what is not written back yet, or the rows on a server. */
async function databaseTexts({ daemon: { store }, paths: { database } }: Team): Promise<string[]> {
  if (!store.file) return storedTexts(store.tables.catalogue)
  const folder = dirname(database)
  const stored = readdirSync(folder).filter(name => name.startsWith(basename(database)))
  return stored.map(name => readFileSync(join(folder, name), 'latin1'))
}

async function storedTexts(catalogue: Team['daemon']['store']['tables']['catalogue']): Promise<string[]> {
  const page = { limit: 1000, offset: 0, maxLength: 1_000_000 }
  const tables = await Promise.all(
    (await catalogue.tables()).map(async table =>
      catalogue.sample(table, await catalogue.columns(table.name), page),
    ),
  )
  return tables.flat().map(row => row.map(({ value }) => value).join(' '))
}

function whoami(team: Team, token: string) {
  return team.call('GET /api/auth/whoami', { headers: bearer(token) })
}
