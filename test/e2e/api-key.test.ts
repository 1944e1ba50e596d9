import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { passwordHashPattern, verifyPassword } from '../../src/lib/workspace/password-hash.js'
import { signToken } from '../../src/lib/workspace/signed-token.js'
import { cliWorkspace, runCli } from '../helpers/cli.js'

function settings(t: ExecutionContext, auth: string): string {
  const workspace = cliWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  writeFileSync(join(workspace, 'agent.yaml'), `embedding: { provider: none }\nauth: ${auth}\n`)
  return workspace
}

for (const mode of ['local', 'team', 'hybrid'])
  test(`api-key create, list and revoke need no credential on the daemon’s machine in mode ${mode} (security.md 5.2)`, async t => {
    settings(t, `{ mode: ${mode} }`)
    const created = await runCli(t, [
      'api-key',
      'create',
      '--name',
      'ci',
      '--role',
      'readonly',
      '--expires',
      '30d',
    ])
    t.is(created.code, 0, created.stderr)
    t.regex(created.stdout, /^svc_sk_[\w-]{43}$/)
    const prefix = created.stdout.slice(0, 15)
    const list = await runCli(t, ['api-key', 'list', '--json'])
    t.like(list.json().keys[0], {
      name: 'ci',
      prefix,
      role: 'readonly',
      permissions: ['recall'],
      revokedAt: null,
    })
    t.regex((await runCli(t, ['api-key', 'list'])).stdout, /readonly\s+valid until/)
    t.is((await runCli(t, ['api-key', 'revoke', prefix])).code, 0)
    t.regex((await runCli(t, ['api-key', 'list'])).stdout, /revoked \d{4}-/)
  })

test('every flag of api-key create reaches the key', async t => {
  settings(t, '{ mode: team }')
  const created = await runCli(t, [
    ...['api-key', 'create', '--name', 'codex', '--connector', 'codex', '--agent-id', 'codex', '--json'],
    ...['--role', 'operator', '--permission', 'recall', '--permission', 'modify', '--project', 'web'],
    ...['--expires', '2040-01-31'],
  ])
  t.like(created.json(), {
    name: 'codex',
    connector: 'codex',
    agentId: 'codex',
    role: 'operator',
    project: 'web',
    expiresAt: '2040-01-31T00:00:00.000Z',
  })
  t.deepEqual(created.json().permissions, ['recall', 'modify'])
  const late = await runCli(t, ['api-key', 'create', '--name', 'x', '--expires', '2020-01-31'])
  t.is(late.code, 2)
  t.regex(late.stderr, /is not a time in the future/)
})

test('a daemon in team mode serves commands with SERVICE_API_KEY, refuses others, and stops for its owner', async t => {
  const workspace = settings(t, '{ mode: team }')
  const refused = await runCli(t, ['recall', 'deploy'])
  t.is(refused.code, 4)
  t.regex(refused.stderr, /needs a credential/)
  const key = (await runCli(t, ['api-key', 'create', '--name', 'maya'])).stdout
  const env = { SERVICE_API_KEY: key }
  t.is((await runCli(t, ['remember', 'deploys run on Tuesdays'], { env })).code, 0)
  t.regex((await runCli(t, ['recall', 'deploys'], { env })).stdout, /Tuesdays/)
  t.false(readFileSync(join(workspace, '.daemon', 'logs', 'daemon.log'), 'utf8').includes(key.slice(15)))
  t.regex((await runCli(t, ['api-key', 'list'])).stdout, /maya\s+agent\s+valid\s+now/)
  t.is((await runCli(t, ['daemon', 'stop'])).code, 0)
})

test('deleting the secret revokes tokens, but the owner can still restart and stop the daemon', async t => {
  const workspace = settings(t, '{ mode: team }')
  const secret = join(workspace, '.daemon', 'auth-secret')
  t.is((await runCli(t, ['daemon', 'start'])).code, 0)
  const key = (await runCli(t, ['api-key', 'create', '--name', 'maya'])).stdout
  const old = readFileSync(secret)
  rmSync(secret)
  const { code, stderr } = await runCli(t, ['daemon', 'restart'], { env: { SERVICE_API_KEY: key } })
  t.is(code, 0, stderr)
  t.false(readFileSync(secret).equals(old))
  const iat = Math.floor(Date.now() / 1000)
  const stolen = signToken(old, { sub: 'thief', role: 'admin', iat, exp: iat + 3600 })
  t.is((await runCli(t, ['list'], { env: { SERVICE_API_KEY: stolen } })).code, 4)
  writeFileSync(secret, Buffer.alloc(32, 7))
  t.is((await runCli(t, ['api-key', 'list'])).code, 0)
  rmSync(secret)
  t.is((await runCli(t, ['daemon', 'stop'])).code, 0)
})

test('local mode on a network address needs an explicit second setting', async t => {
  const workspace = settings(t, '{ mode: local }')
  const env = { SERVICE_HOST: '0.0.0.0', SERVICE_WORKSPACE: workspace }
  const refused = await runCli(t, ['daemon', 'start'], { env })
  t.not(refused.code, 0)
  t.regex(refused.stderr, /everyone who reaches this address[\s\S]*--i-know-this-is-open/)
  t.is((await runCli(t, ['daemon', 'start', '--i-know-this-is-open'], { env })).code, 0)
})

test('auth hash-password hashes its piped input (security.md 5.3)', async t => {
  const { code, stdout } = await runCli(t, ['auth', 'hash-password'], { stdin: 'open sesame\n' })
  t.is(code, 0)
  t.regex(stdout, passwordHashPattern)
  t.true(await verifyPassword('open sesame', stdout))
  t.is((await runCli(t, ['auth', 'hash-password'], { stdin: '' })).code, 2)
})

test('creating an admin key with a project warns that admin keys are not confined (security.md 5.4)', async t => {
  settings(t, '{ mode: team }')
  const create = (role: string) =>
    runCli(t, ['api-key', 'create', '--name', 'k', '--role', role, '--project', 'web'])
  t.regex((await create('admin')).stderr, /The role admin ignores --agent-id and --project/)
  t.notRegex((await create('operator')).stderr, /ignores/)
})
