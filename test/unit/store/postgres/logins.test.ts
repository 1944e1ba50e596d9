import { createHash, randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { loginBrowser } from '../../../helpers/oauth-browser.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { bearer, startTeam, type Team } from '../../../helpers/team.js'

/** A balancer that sends each request to another daemon than the last one. */
async function startBalancer(t: ExecutionContext) {
  const targets: string[] = []
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? '/', targets[turn++ % targets.length])
    const { method, headers } = incoming
    const passed = request(target, { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets }
}

/** Two daemons of a database behind a balancer. */
async function startTwo(t: ExecutionContext) {
  const database = await ownDatabase(t)
  const balancer = await startBalancer(t)
  const settings = {
    storage: { postgres: database, shared: true },
    auth: { mode: 'team', publicUrl: balancer.url },
  }
  const teamKey = 'a key that every daemon of the team gets'
  const [a, b] = [await startTeam(t, { settings, teamKey }), await startTeam(t, { settings, teamKey })]
  balancer.targets.push(a.url, b.url)
  const { key } = await a.key({ name: 'maya' })
  return { database, url: balancer.url, key, daemons: [a, b] as readonly [Team, Team] }
}

const redirectUri = 'http://127.0.0.1:9999/callback'
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

async function post(url: string, body: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(body) })
  return (await response.json()) as Record<string, string>
}

async function register(url: string): Promise<string> {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', deviceGrant],
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

async function isKnown({ call }: Team, token: string | undefined): Promise<string> {
  const { body } = await call('GET /api/auth/whoami', { headers: bearer(token ?? '') })
  return body.actor
}

test('a login ends at another daemon than the one where it began', async t => {
  const { url, key, daemons, database } = await startTwo(t)
  const client_id = await register(url)
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URL(`${url}/oauth/authorize`)
  asked.search = String(
    new URLSearchParams({
      ...{ client_id, redirect_uri: redirectUri, response_type: 'code', state: 'some' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'recall',
    }),
  )
  const answer = await loginBrowser(t, url).logIn(asked, { key })
  const code = answer.searchParams.get('code') ?? ''
  const stored = JSON.stringify(await askServer(database, 'SELECT * FROM memory.oauth_records'))
  t.false(stored.includes(code) || stored.includes('code_challenge'))
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  const { access_token: token } = await post(`${url}/oauth/token`, {
    ...{ ...exchange, client_id, code_verifier: verifier },
  })
  for (const daemon of daemons) t.is(await isKnown(daemon, token), 'maya')
})

test('a device gets its token from another daemon than the one that gave the code', async t => {
  const { url, key, daemons } = await startTwo(t)
  const client_id = await register(url)
  const device = await post(`${url}/oauth/device/code`, { client_id, scope: 'recall' })
  const browser = loginBrowser(t, url)
  const page = await browser.confirmDevice(device.verification_uri_complete ?? '')
  const done = await browser.open(page.url, { decision: 'allow', key })
  t.regex(done.html, /Connected/)
  const { access_token: token } = await post(`${url}/oauth/token`, {
    ...{ grant_type: deviceGrant, device_code: device.device_code ?? '', client_id },
  })
  for (const daemon of daemons) t.is(await isKnown(daemon, token), 'maya')
})
