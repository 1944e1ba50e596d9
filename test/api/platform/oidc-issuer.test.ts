import test from 'ava'
import { SignJWT } from 'jose'
import { type FakeIssuer, startFakeIssuer } from '../../helpers/fake-issuer.js'
import { bearer, startTeam } from '../../helpers/team.js'

const audience = 'https://memory.example.org'

function settingsFor({ url }: FakeIssuer, oidc: Record<string, unknown> = {}) {
  const roles = { 'memory users': 'agent', 'memory admins': 'admin' }
  const given = { issuer: url, audience, roleClaim: 'realm_access.roles', roles, ...oidc }
  return { settings: { auth: { publicUrl: audience, oidc: given } } }
}

const usual = { aud: audience, scope: 'openid recall remember', realm_access: { roles: ['memory users'] } }

test('a token of the issuer recalls, with role and scopes of its claims (team.md)', async t => {
  const issuer = await startFakeIssuer(t)
  const team = await startTeam(t, settingsFor(issuer))
  const metadata = await fetch(`${team.url}/.well-known/oauth-protected-resource/mcp`)
  t.like((await metadata.json()) as object, {
    authorization_servers: [issuer.url],
    resource: `${audience}/mcp`,
  })
  t.is((await fetch(`${team.url}/oauth/authorize`)).status, 404, 'there is one issuer')
  const headers = bearer(await issuer.token(usual))
  const body = { content: 'the pier is open' }
  t.is((await team.call('POST /api/memory/remember', { body, headers })).status, 200)
  const found = await team.call('POST /api/memory/recall', { body: { query: 'pier' }, headers })
  t.is(found.body.results.length, 1)
  const who = await team.call('GET /api/auth/whoami', { headers })
  t.like(who.body, { actor: 'maya', role: 'agent', permissions: ['remember', 'recall'] })
  t.is(issuer.asked.get('/realms/team/protocol/openid-connect/certs'), 1, 'keys are read once')
})

test('tokens for others, expired, early, unsigned or of another issuer are refused (team.md)', async t => {
  const issuer = await startFakeIssuer(t)
  const another = await startFakeIssuer(t)
  const team = await startTeam(t, settingsFor(issuer))
  const now = Math.floor(Date.now() / 1000)
  const forged = new SignJWT({ ...usual, iss: issuer.url, sub: 'x', exp: now + 60 })
  const refused = {
    'another audience': await issuer.token({ ...usual, aud: 'https://other.example' }),
    'no audience': await issuer.token({ ...usual, aud: undefined }),
    expired: await issuer.token({ ...usual, exp: now - 60 }),
    'no end': await issuer.token({ ...usual, exp: undefined }),
    'not yet valid': await issuer.token({ ...usual, nbf: now + 600 }),
    'another issuer': await another.token(usual),
    'the name of this issuer': await another.token({ ...usual, iss: issuer.url }),
    'no role': await issuer.token({ ...usual, realm_access: { roles: ['offline_access'] } }),
    'a shared secret': await forged
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode('a secret of thirty-two characters')),
  }
  for (const [what, token] of Object.entries(refused)) {
    const reply = await team.call('GET /api/auth/whoami', { headers: bearer(token) })
    t.is(reply.status, 401, what)
    t.regex(reply.headers.get('www-authenticate') ?? '', /error="invalid_token"/, what)
  }
})

test('scopes of the issuer limit a role; without its scopes a token may nothing (team.md)', async t => {
  const issuer = await startFakeIssuer(t)
  const team = await startTeam(t, settingsFor(issuer))
  const admin = { ...usual, realm_access: { roles: ['memory admins', 'memory users'] } }
  const whoIs = async (claims: object) => {
    const headers = bearer(await issuer.token({ ...admin, ...claims }))
    return (await team.call('GET /api/auth/whoami', { headers })).body
  }
  t.like(await whoIs({}), { role: 'operator', permissions: ['remember', 'recall'] })
  t.like(await whoIs({ scope: undefined, scp: 'api://memory/recall api://memory/admin' }), {
    role: 'admin',
    permissions: ['recall', 'admin'],
  })
  t.like(await whoIs({ scope: 'openid profile' }), { permissions: [] })
  const unchecked = await startTeam(
    t,
    settingsFor(issuer, { checkScopes: false, roles: { '*': 'readonly' } }),
  )
  const headers = bearer(
    await issuer.token({ aud: audience, email: 'ann@example.org', preferred_username: '' }),
  )
  const who = await unchecked.call('GET /api/auth/whoami', { headers })
  t.like(who.body, { actor: 'ann@example.org', role: 'readonly', permissions: ['recall'] })
})

test('a new key of the issuer is found, and an issuer that does not answer is named (team.md)', async t => {
  const issuer = await startFakeIssuer(t)
  const state = { ahead: 0 }
  const clock = () => new Date(Date.now() + state.ahead)
  const team = await startTeam(t, { ...settingsFor(issuer), clock })
  const ask = async (token: string) => team.call('GET /api/auth/whoami', { headers: bearer(token) })
  t.is((await ask(await issuer.token(usual))).status, 200)
  await issuer.rotate()
  const next = await issuer.token(usual)
  t.is((await ask(next)).status, 401, 'keys are not read for each unknown one')
  state.ahead = 11_000
  t.is((await ask(next)).status, 200)
  const dead = await startTeam(t, settingsFor({ ...issuer, url: 'http://127.0.0.1:9/realms/team' }))
  const reply = await dead.call('GET /api/auth/whoami', { headers: bearer(next) })
  t.is(reply.status, 502)
  t.regex(reply.body.error ?? '', /auth\.oidc\.issuer/)
  t.is((await dead.call('GET /api/auth/whoami', { headers: dead.admin })).status, 200, 'own tokens work on')
})
