import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { bringSettings } from '../helpers/waiting-settings.js'

const foreign = 'https://elsewhere.example/v1'

test('memory git settings shows what a pull brought, and accepts it after --yes only', async t => {
  const here = await daemonHere(t)
  t.regex((await runHere(t, ['git', 'settings'])).stderr, /No settings wait/u)
  await bringSettings(
    here,
    `embedding: { provider: openai, baseUrl: "${foreign}", apiKey: OPENAI_API_KEY }\n`,
  )
  const shown = await runHere(t, ['git', 'settings'])
  t.is(shown.code, 0)
  t.regex(
    shown.stdout,
    /- embedding\.baseUrl: not set\n\+ embedding\.baseUrl: "https:\/\/elsewhere\.example\/v1"/u,
  )
  t.regex(shown.stderr, /Next: memory git settings --accept, or --refuse/u)
  t.regex(
    (await runHere(t, ['git', 'status'])).stdout,
    /security settings wait for your yes: memory git settings/u,
  )
  t.regex(
    (await runHere(t, ['doctor'])).stdout,
    /warn +agent\.yaml has settings[\s\S]*embedding\.baseUrl: waits for your yes/u,
  )

  const unasked = await runHere(t, ['git', 'settings', '--accept'])
  t.not(unasked.code, 0)
  t.regex(unasked.stderr, /--yes/u)
  const settings = () => here.daemon.configuration().settings
  t.is(settings().embedding.baseUrl, undefined)

  t.is((await runHere(t, ['git', 'settings', '--accept', '--yes'])).code, 0)
  t.is(settings().embedding.baseUrl, foreign)
  t.deepEqual((await runHere(t, ['git', 'settings', '--json'])).json().settings, [])
})

test('memory git settings --refuse writes the settings in force to agent.yaml and keeps the others', async t => {
  const here = await daemonHere(t)
  await bringSettings(
    here,
    'embedding: { provider: none }\nrecall: { claims: true }\nauth: { mode: hybrid }\n',
  )
  const { code, stderr } = await runHere(t, ['git', 'settings', '--refuse', '--yes'])
  t.is(code, 0)
  t.regex(stderr, /agent\.yaml has the settings in force/u)
  const text = readFileSync(here.paths.settings, 'utf8')
  t.regex(text, /claims: true/u)
  t.notRegex(text, /hybrid/u)
  t.like(here.daemon.configuration().settings, { auth: { mode: 'local' }, recall: { claims: true } })
})

test('a broken agent.yaml is neither accepted nor refused', async t => {
  const here = await daemonHere(t)
  await bringSettings(here, 'embedding: { provider: none }\nauth: { mode: hybrid }\n')
  writeFileSync(here.paths.settings, 'auth: [\n')
  for (const decision of ['--accept', '--refuse']) {
    const { code, stderr } = await runHere(t, ['git', 'settings', decision, '--yes'])
    t.not(code, 0)
    t.regex(stderr, /agent\.yaml was not changed/u)
  }
  t.is(here.daemon.configuration().settings.auth.mode, 'local')
})
