import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import test from 'ava'
import { createProvider } from '../../../src/daemon/platform/oauth/provider.js'
import { callTool } from '../../helpers/mcp.js'
import { loginBrowser } from '../../helpers/oauth-browser.js'
import { rawOutcome } from '../../helpers/raw-http.js'
import { startTeam } from '../../helpers/team.js'

const redirectUrl = 'http://localhost:9998/oauth/callback'

/** A program's memory of its login, as clients of MCP have one. */
function sdkLogin() {
  const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; page?: URL } =
    {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'An agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: client => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: tokens => {
      kept.tokens = tokens
    },
    redirectToAuthorization: page => {
      kept.page = page
    },
    saveCodeVerifier: verifier => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
  }
  return { provider, kept }
}

test('the MCP SDK’s client logs in by itself and calls a tool (team.md)', async t => {
  const team = await startTeam(t)
  const { key } = await team.key({ name: 'maya' })
  const { provider: authProvider, kept } = sdkLogin()
  const address = new URL(`${team.url}/mcp`)
  const first = new StreamableHTTPClientTransport(address, { authProvider })
  await t.throwsAsync(new Client({ name: 'test', version: '1' }).connect(first), {
    instanceOf: UnauthorizedError,
  })
  t.is(kept.page?.searchParams.get('resource'), address.href)
  const answer = await loginBrowser(t, team.url).logIn(kept.page ?? '', { key })
  await first.finishAuth(answer.searchParams.get('code') ?? '')
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider }))
  t.teardown(() => client.close())
  const saved = await callTool(client, 'memory_store', { content: 'the pier is open', hints: ['harbour'] })
  t.false(saved.isError, saved.text)
  const { text } = await callTool(client, 'memory_search', { query: 'pier' })
  t.regex(text, /the pier is open/)
})

test('a device logs in by the code that it shows (team.md)', async t => {
  const team = await startTeam(t)
  const { key } = await team.key({ name: 'maya' })
  const post = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(`${team.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const registered = await fetch(`${team.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A terminal',
      token_endpoint_auth_method: 'none',
      grant_types: [grant_type, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    }),
  })
  const { client_id = '' } = (await registered.json()) as Record<string, string>
  t.is(registered.status, 201)
  const { body: device } = await post('/oauth/device/code', { client_id, scope: 'recall' })
  const ask = () => post('/oauth/token', { grant_type, client_id, device_code: device.device_code ?? '' })
  t.is((await ask()).body.error, 'authorization_pending')
  const browser = loginBrowser(t, team.url)
  const login = await browser.confirmDevice(device.verification_uri_complete ?? '')
  t.regex(login.html, /A terminal<\/strong> \(a program on another device\)/)
  const done = await browser.open(login.url, { decision: 'allow', key })
  t.regex(done.html, /Connected/)
  const { status, body } = await ask()
  t.is(status, 200, JSON.stringify(body))
  const who = await fetch(`${team.url}/api/auth/whoami`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  t.like((await who.json()) as object, { actor: 'maya', permissions: ['recall'] })
})

test('a client may be described by a document at its address (team.md)', async t => {
  const team = await startTeam(t)
  const client_id = 'https://agent.example/oauth/client.json'
  const document = {
    client_id,
    client_name: 'An agent by document',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  const asked: string[] = []
  const provider = createProvider({
    address: team.url,
    deps: team.daemon,
    fetch: async url => {
      asked.push(String(url))
      return Response.json(document)
    },
  })
  const { default: http } = await import('node:http')
  const server = http.createServer(provider.callback())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const { port } = server.address() as { port: number }
  const url = new URL(`http://127.0.0.1:${port}/oauth/authorize`)
  url.search = String(
    new URLSearchParams({
      client_id,
      redirect_uri: 'http://127.0.0.1:52114/callback',
      response_type: 'code',
      scope: 'recall',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }),
  )
  const response = await fetch(url, { redirect: 'manual' })
  t.regex(response.headers.get('location') ?? '', /^\/oauth\/login\//)
  t.deepEqual(asked, [client_id])
})

test('pages of other sites may open the login, but post nothing to it (team.md)', async t => {
  const team = await startTeam(t, { settings: { auth: { publicUrl: 'https://memory.example.org' } } })
  const host = 'host: memory.example.org'
  const navigation = ['sec-fetch-site: cross-site', 'sec-fetch-mode: navigate']
  const ask = async (line: string, headers: string[]) => (await rawOutcome(team.url, { line, headers }))[0]
  t.is(await ask('GET /oauth/authorize?client_id=x', [host, ...navigation]), 400)
  const foreign = [host, 'origin: https://evil.example', ...navigation]
  t.is(await ask('POST /oauth/login/x', foreign), 403)
  t.is(await ask('GET /oauth/authorize?client_id=x', ['host: evil.example']), 403)
  t.is(await ask('POST /oauth/login/x', [host, 'origin: https://memory.example.org']), 400)
})
