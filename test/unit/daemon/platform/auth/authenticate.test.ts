import { randomBytes } from 'node:crypto'
import test from 'ava'
import { settings } from '../../../../../src/contract/settings.js'
import { fullAccess } from '../../../../../src/daemon/ground/visibility/caller.js'
import { createLoginLimit, createRateLimiter } from '../../../../../src/daemon/platform/auth/auth.js'
import { type AuthenticateDeps, authenticate } from '../../../../../src/daemon/platform/auth/authenticate.js'
import { createLocalUsers } from '../../../../../src/daemon/platform/auth/local-users.js'

const clock = () => new Date(0)
const limiter = createRateLimiter(() => settings.parse({}).auth.rateLimits, clock)
const deps: AuthenticateDeps = {
  auth: {
    mode: () => 'hybrid',
    settings: () => settings.parse({}).auth,
    secret: () => randomBytes(32),
    passwordLogin: () => undefined,
    limiter,
    localUsers: createLocalUsers({ setting: () => undefined }),
    instance: '',
    logins: createLoginLimit(limiter, () => true),
  },
  clock,
  whenReady: () => Promise.reject(new Error('no key is presented here')),
}

test('this machine is recognised by the TCP peer address (security.md 5.1)', t => {
  for (const peer of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
    t.is(authenticate(deps, { headers: {}, peer }), fullAccess, peer)
})

test('any other or unknown peer is remote, whatever its headers say (security.md 5.1)', t => {
  const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', 'x-real-ip': '127.0.0.1' }
  for (const peer of [undefined, '', '10.0.0.7', '::ffff:10.0.0.7', 'fe80::1', '0.0.0.0', '128.0.0.1'])
    t.throws(() => authenticate(deps, { headers, peer }), { message: /needs a credential/ }, String(peer))
})
