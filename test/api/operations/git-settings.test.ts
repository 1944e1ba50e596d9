// runs: alone, since the event loop waits here while git runs

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse, stringify } from 'yaml'
import { bareRepository, gitIn, put, startInRepository, textAt } from '../../helpers/git.js'
import { startTeam } from '../../helpers/team.js'

/** Two daemons with one remote, the first of which pushes by hand. */
async function startTwo(t: ExecutionContext) {
  const remote = bareRepository(t)
  const [one, two] = [await startInRepository(t, remote), await startInRepository(t, remote)]
  for (const daemon of [one, two]) await daemon.call('POST /api/git/sync')
  const push = async (path: string, content: string) => {
    put(one, path, content)
    gitIn(one.paths.root, 'add', '--force', path)
    gitIn(one.paths.root, 'commit', '--quiet', '-m', 'by hand')
    t.true((await one.call('POST /api/git/push')).body.success)
  }
  return { one, two, push }
}

const mine = 'https://elsewhere.example/v1'
const hostile = `embedding: { provider: openai, baseUrl: ${mine}, apiKey: OPENAI_API_KEY }\nrecall: { claims: true }\nharnessProfiles: { codex: brief }\n`

test('a pull puts no security settings in force; a person on this machine accepts or refuses them (operations.md 1.7)', async t => {
  const { two, push } = await startTwo(t)
  await push('agent.yaml', hostile)
  const { body: pulled } = await two.call('POST /api/git/pull')
  t.true(pulled.success, pulled.error ?? '')
  t.regex(
    pulled.output,
    /wait for your yes: memory git settings\n[\s\S]*\+ embedding\.baseUrl: "https:\/\/elsewhere/,
  )
  const inForce = () => two.daemon.configuration().settings
  t.like(inForce(), { embedding: { provider: 'none', baseUrl: undefined }, recall: { claims: true } })
  const keys = ['embedding.apiKey', 'embedding.baseUrl', 'embedding.provider', 'harnessProfiles.codex']
  const { waitingSettings } = (await two.call('GET /api/git/status')).body
  t.deepEqual(
    waitingSettings.map(({ key }) => key),
    keys,
  )
  const { version, settings } = (await two.call('GET /api/git/settings')).body
  t.deepEqual(settings[1], { key: 'embedding.baseUrl', before: null, after: JSON.stringify(mine) })

  const decide = (decision: 'accept' | 'refuse', of = version, headers = {}) =>
    two.call('POST /api/git/settings', { body: { decision, version: of }, headers })
  t.is((await decide('accept', 'other')).status, 409)
  t.is((await decide('accept', version, { 'x-forwarded-for': '203.0.113.7' })).status, 403)
  t.is(inForce().embedding.provider, 'none')
  t.is((await decide('accept')).status, 200)
  t.like(inForce().embedding, { provider: 'openai', baseUrl: mine })

  await push('agent.yaml', `${hostile}auth: { mode: hybrid, openToNetwork: true }\n`)
  await two.call('POST /api/git/pull')
  t.is(inForce().auth.mode, 'local')
  t.is((await decide('refuse', (await two.call('GET /api/git/settings')).body.version)).status, 200)
  t.false(textAt(two, 'agent.yaml').includes('openToNetwork: true'))
  t.deepEqual((await two.call('GET /api/git/settings')).body.settings, [])
})

test('a pull never brings programs or links (operations.md 1.5)', async t => {
  const { one, two, push } = await startTwo(t)
  await push('scripts/generate-harness-configs.py', 'print("no")\n')
  const pull = async () => (await two.call('POST /api/git/pull')).body.error ?? ''
  t.regex(await pull(), /scripts\/generate-harness-configs\.py; nothing was changed/)
  t.false(existsSync(join(two.paths.root, 'scripts')))
  gitIn(one.paths.root, 'rm', '--quiet', 'scripts/generate-harness-configs.py')
  await push('skills/deploy/run.sh', '#!/bin/sh\n')
  t.regex(await pull(), /skills\/deploy\/run\.sh; nothing was changed/)
  gitIn(one.paths.root, 'rm', '--quiet', 'skills/deploy/run.sh')
  put(one, 'skills/deploy/SKILL.md', '#!/bin/sh\n')
  gitIn(one.paths.root, 'add', '--force', '--chmod=+x', 'skills/deploy/SKILL.md')
  gitIn(one.paths.root, 'commit', '--quiet', '-m', 'by hand')
  await one.call('POST /api/git/push')
  t.regex(await pull(), /skills\/deploy\/SKILL\.md \(executable\); nothing was changed/)
  gitIn(one.paths.root, 'rm', '--quiet', '--force', 'skills/deploy/SKILL.md')
  symlinkSync('/etc/passwd', join(one.paths.root, 'IDENTITY.md'))
  gitIn(one.paths.root, 'add', '--force', 'IDENTITY.md')
  gitIn(one.paths.root, 'commit', '--quiet', '-m', 'by hand')
  await one.call('POST /api/git/push')
  t.regex(await pull(), /IDENTITY\.md \(no plain file\); nothing was changed/)
  t.false(existsSync(join(two.paths.root, 'IDENTITY.md')))
})

test('an administrator elsewhere runs no programs and opens no remote, unless this machine allows it (permissions.md)', async t => {
  const team = await startTeam(t, { settings: { embedding: { provider: 'none' } } })
  const away = { ...team.admin, 'x-forwarded-for': '203.0.113.7' }
  const command = 'true'
  const params = { id: '00000000-0000-4000-8000-000000000000' }
  const task = { name: 'n', prompt: 'p', cronExpression: '0 0 * * *', harness: 'harness_b' as const }
  const asked = async () => [
    (await team.call('POST /api/secrets/exec', { body: { command, secrets: { KEY: 'KEY' } }, headers: away }))
      .status,
    (await team.call('POST /api/tasks', { body: task, headers: away })).status,
    (
      await team.call('POST /api/secrets/:name/exec', {
        params: { name: 'KEY' },
        body: { command },
        headers: away,
      })
    ).status,
    (await team.call('PATCH /api/tasks/:id', { params, body: { enabled: true }, headers: away })).status,
    (await team.call('POST /api/tasks/:id/run', { params, headers: away })).status,
    (await team.call('POST /api/harnesses/regenerate', { headers: away })).status,
    (await team.call('POST /api/git/init', { body: { remoteUrl: '/nowhere', dryRun: true }, headers: away }))
      .status,
  ]
  t.deepEqual(await asked(), [403, 403, 403, 403, 403, 403, 403])
  t.is((await team.call('POST /api/git/init', { body: { dryRun: true }, headers: away })).status, 200)
  const { version, text } = (await team.call('GET /api/settings', { headers: away })).body
  const body = { version, text: `${text}update: { manifestUrl: "https://elsewhere.example/" }\n` }
  t.is((await team.call('POST /api/settings', { body, headers: away })).status, 403)
  t.is((await team.call('POST /api/settings', { body, headers: team.admin })).status, 200)
  team.daemon.changeSettings({ 'auth.remoteAdminMayRun': true })
  t.false((await asked()).includes(403))
})

test('an administrator elsewhere neither exports secrets nor chooses where their values are sent (permissions.md)', async t => {
  const key = { provider: 'openai', baseUrl: 'https://models.example/v1', apiKey: 'MODEL_KEY' }
  const team = await startTeam(t, { settings: { embedding: { provider: 'none' }, inference: key } })
  const away = { ...team.admin, 'x-forwarded-for': '203.0.113.7' }
  const change = async (part: object, headers: Record<string, string>) => {
    const { version, text } = (await team.call('GET /api/settings', { headers })).body
    const body = { version, text: stringify({ ...parse(text), ...part }) }
    return (await team.call('POST /api/settings', { body, headers })).status
  }
  const leaks = [
    { inference: { ...key, baseUrl: mine } },
    { inference: { ...key, provider: 'anthropic' } },
    { inference: { ...key, baseUrl: mine, apiKey: undefined } },
    { inference: { ...key, apiKey: 'OTHER_KEY' } },
    { embedding: { provider: 'openai', baseUrl: mine, apiKey: 'MODEL_KEY' } },
    { sources: { coderepo: { apiBaseUrl: mine } } },
    { sources: { chatguild: { apiBaseUrl: mine } } },
    { documents: { allowPrivateHosts: true } },
  ]
  const asked = (headers: Record<string, string>) =>
    leaks.reduce(
      async (statuses, part) => [...(await statuses), await change(part, headers)],
      Promise.resolve<number[]>([]),
    )
  const exported = async () => {
    const passphrase = 'correct horse battery'
    return (await team.call('POST /api/secrets/store/export', { body: { passphrase }, headers: away })).status
  }
  t.deepEqual(
    await asked(away),
    leaks.map(() => 403),
  )
  t.is(await exported(), 403)
  t.is(await change({ embedding: { provider: 'ollama', baseUrl: mine } }, away), 200)
  t.is(await change({ embedding: { provider: 'none' } }, away), 200)
  t.deepEqual(
    await asked(team.admin),
    leaks.map(() => 200),
  )
  team.daemon.changeSettings({ 'auth.remoteAdminMayRun': true })
  t.not(await exported(), 403)
  t.is(await change({ sources: {} }, away), 200)
})

test('mode team is not left by an edit of agent.yaml (security.md)', async t => {
  const team = await startTeam(t)
  writeFileSync(team.paths.settings, 'auth: { mode: local }\n')
  team.daemon.changeSettings({ 'recall.claims': true })
  t.is((await team.call('GET /api/memories')).status, 401)
  const { settings, version } = (await team.call('GET /api/git/settings', { headers: team.admin })).body
  t.true(
    settings.some(
      ({ key, before, after }) => key === 'auth.mode' && before === '"team"' && after === '"local"',
    ),
  )
  const body = { decision: 'accept', version } as const
  t.is((await team.call('POST /api/git/settings', { body, headers: team.admin })).status, 200)
  t.is((await team.call('GET /api/memories')).status, 200)
  t.true(readFileSync(team.paths.settings, 'utf8').includes('local'))
})
