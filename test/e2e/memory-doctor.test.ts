import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'

interface Finding {
  id: string
  severity: string
  evidence: string
}

const find = (findings: Finding[], id: string) => findings.find(finding => finding.id === id)!

test('doctor makes a round trip, and a new machine has the bundled model', async t => {
  const { code, json } = await runCli(t, ['doctor', '--json'])
  const { findings, counts } = json()
  t.regex(find(findings, 'round-trip').evidence, /^saved and undone in .* recalled in /)
  t.like(find(findings, 'embedding'), { severity: 'ok', evidence: 'static static-en-1, 128 dimensions' })
  t.like(counts, { error: 0, warning: 0 })
  t.is(code, 0)
  t.is((await runCli(t, ['list', '--json'])).json().memories.length, 0)
})

test('doctor reports a missing model from the settings: one warning, and exit code 6', async t => {
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), 'embedding:\n  model: Xenova/gte-small\n')
  const { code, json } = await runHere(t, ['doctor', '--json'])
  t.like(json().counts, { error: 0, warning: 1 })
  t.is(code, 6)
})

for (const [settings, health] of [
  ['', 'healthy'],
  ['embedding:\n  provider: none\n', 'healthy'],
  ['embedding:\n  model: Xenova/gte-small\n', 'degraded'],
] as const)
  test(`status and doctor agree, in text and in JSON: ${health} with ${JSON.stringify(settings)}`, async t => {
    writeFileSync(join(cliWorkspace(t), 'agent.yaml'), settings)
    const env = { SERVICE_EMBEDDING_DOWNLOAD: '0' }
    // Only the built daemon has the default model.
    const run = settings === '' ? runCli : runHere
    t.is((await run(t, ['doctor', '--json'], { env })).json().healthy, health === 'healthy')
    t.is((await run(t, ['status', '--json'], { env })).json().health.status, health)
    t.is((await run(t, ['doctor'], { env })).stdout.includes('Everything works.'), health === 'healthy')
    t.regex((await run(t, ['status'], { env })).stdout, new RegExp(`^health +${health}, `))
  })

test('doctor accepts a deliberately disabled provider', async t => {
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), 'embedding:\n  provider: none\n')
  const { code, stdout } = await runHere(t, ['doctor'])
  t.is(code, 0, stdout)
  t.regex(stdout, /Everything works\.$/)
})

test('doctor names the line of an invalid setting', async t => {
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), 'embedding:\n  provider: psychic\n')
  const { code, json } = await runCli(t, ['doctor', '--json'])
  t.is(code, 6)
  t.regex(find(json().findings, 'settings').evidence, /agent\.yaml:2: embedding\.provider: /)
})

test('doctor --fix removes a torn registration before it looks for the daemon', async t => {
  const folder = join(cliWorkspace(t), '.daemon')
  mkdirSync(folder, { mode: 0o755 })
  writeFileSync(join(folder, 'daemon.json'), '{"pid":')
  const findings: Finding[] = (await runCli(t, ['doctor', '--fix', '--json'])).json().findings
  t.like(find(findings, 'registration'), { severity: 'ok', fixed: true })
  t.like(find(findings, 'permissions'), { severity: 'ok', fixed: true })
  t.is(find(findings, 'daemon').severity, 'ok')
})

test('doctor reports a daemon that may not be started', async t => {
  const { code, stdout } = await runCli(t, ['doctor'], { env: { SERVICE_NO_AUTOSTART: '1' } })
  t.is(code, 6)
  t.regex(stdout, /error {2}.*SERVICE_NO_AUTOSTART=1/)
  t.regex(stdout, /fix: memory daemon start/)
})
