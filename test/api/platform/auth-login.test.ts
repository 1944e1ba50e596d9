import test from 'ava'
import { hashPassword } from '../../../src/lib/workspace/password-hash.js'
import { startDaemon } from '../../helpers/daemon.js'
import { bearer, startTeam } from '../../helpers/team.js'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

test('logging in with the environment’s password gives an admin session (security.md 5.3)', async t => {
  const now = new Date('2026-03-01T12:00:00Z')
  const { call } = await startTeam(t, {
    clock: () => now,
    environment: { SERVICE_ADMIN_PASSWORD: 'open sesame', SERVICE_ADMIN_USERNAME: 'maya' },
    settings: { auth: { sessionTokenTtlSeconds: 3600 } },
  })
  const { status, body } = await call('POST /api/auth/login', {
    body: { username: 'maya', password: 'open sesame' },
  })
  t.is(status, 200)
  t.like(body, { role: 'admin', username: 'maya', expiresAt: '2026-03-01T13:00:00.000Z' })
  const who = await call('GET /api/auth/whoami', { headers: bearer(body.token) })
  t.like(who.body, { authenticated: true, actor: 'maya', role: 'admin', credential: 'token' })
})

test('login accepts a stored hash; a wrong name or password gives the same 401 message (security.md 5.3)', async t => {
  const passwordHash = await hashPassword('open sesame')
  const { call } = await startTeam(t, { settings: { auth: { login: { password: { passwordHash } } } } })
  const login = (username: string, password: string) =>
    call('POST /api/auth/login', { body: { username, password } })
  t.is((await login('admin', 'open sesame')).status, 200)
  const wrong = [await login('admin', 'open'), await login('root', 'open sesame'), await login('', '')]
  for (const reply of wrong) t.deepEqual(outcome(reply), [401, 'invalid_credentials'])
  t.is(new Set(wrong.map(({ body }) => body.error)).size, 1)
})

test('login without a configured password is 404 login_disabled (security.md 5.3)', async t => {
  const { call } = await startTeam(t)
  const reply = await call('POST /api/auth/login', { body: { username: 'admin', password: '' } })
  t.deepEqual(outcome(reply), [404, 'login_disabled'])
})

test('a plain-text password in the settings is refused at start (security.md 5.3)', async t => {
  const settings = { auth: { mode: 'team', login: { password: { passwordHash: 'open sesame' } } } }
  const error = await t.throwsAsync(startDaemon(t, { settings }))
  t.regex(error.message, /passwordHash[\s\S]*not the password/)
  t.notRegex(error.message, /open sesame/)
  const environment = { SERVICE_ADMIN_PASSWORD_HASH: 'open sesame' }
  await t.throwsAsync(startDaemon(t, { environment }), {
    message: /SERVICE_ADMIN_PASSWORD_HASH does not have the form/,
  })
})

test('SSO and SAML are 501 (security.md 5.3)', async t => {
  const { call } = await startTeam(t)
  t.deepEqual(outcome(await call('POST /api/auth/login/sso')), [501, 'not_implemented'])
  t.deepEqual(outcome(await call('POST /api/auth/login/saml')), [501, 'not_implemented'])
})
