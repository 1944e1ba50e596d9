import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { type HarnessHome, harnessHome } from '../helpers/harness-home.js'

interface Finding {
  id: string
  severity: string
  evidence: string
  fix?: string
  fixed: boolean
}

async function findings(home: HarnessHome, ...flags: string[]): Promise<Finding[]> {
  return (await home.run(['doctor', '--json', ...flags])).json().findings
}

const about = async (home: HarnessHome, id: string, ...flags: string[]) =>
  (await findings(home, ...flags)).filter(finding => finding.id === id)

test('doctor checks only connected agents', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{}', '.claude/settings.json': '{}' })
  t.deepEqual(await about(home, 'gemini'), [])
  await home.run(['connect', 'gemini', '--yes'])
  t.like(await about(home, 'gemini'), [
    { severity: 'ok', evidence: 'connected, hooks and MCP server up to date; nothing captured yet' },
  ])
  t.deepEqual(await about(home, 'claude-code'), [])
})

test('doctor --fix updates outdated entries with their original options', async t => {
  const home = harnessHome(t, { '.cursor/mcp.json': '{}' })
  await home.run(['connect', 'cursor', '--no-mcp', '--yes'])
  home.write('.cursor/hooks.json', home.read('.cursor/hooks.json').replaceAll('run.js', 'old/run.js'))
  const [found] = await about(home, 'cursor')
  t.like(found, { severity: 'warning', fix: 'memory health --fix' })
  t.regex(found!.evidence, /outdated: .*hooks\.json/)
  t.like(await about(home, 'cursor', '--fix'), [{ severity: 'ok', fixed: true }])
  t.false(home.read('.cursor/hooks.json').includes('old/'))
  t.is(home.read('.cursor/mcp.json'), '{}')
})

test('doctor --fix removes a hook of ours that is no longer used', async t => {
  const before = '{ "ui": { "theme": "x" } }'
  const home = harnessHome(t, { '.gemini/settings.json': before })
  await home.run(['connect', 'gemini', '--yes'])
  const connected = home.read('.gemini/settings.json')
  t.false(connected.includes('PreCompress'))
  const settings = JSON.parse(connected)
  const command = settings.hooks.AfterAgent[0].hooks[0].command.replace(/hook [\w-]+/u, 'hook pre-compaction')
  settings.hooks.PreCompress = [{ hooks: [{ name: 'memory', type: 'command', command, timeout: 10_000 }] }]
  home.write('.gemini/settings.json', JSON.stringify(settings, null, 2))
  t.like(await about(home, 'gemini'), [{ severity: 'warning', fix: 'memory health --fix' }])
  t.like(await about(home, 'gemini', '--fix'), [{ severity: 'ok', fixed: true }])
  t.false(home.read('.gemini/settings.json').includes('PreCompress'))
})

test('doctor reports Codex hooks that do not run because they are not trusted', async t => {
  const home = harnessHome(t, { '.codex/config.toml': '' })
  const { stderr } = await home.run(['connect', 'codex', '--yes'])
  t.regex(stderr, /of 9 memory hooks, 9 are not trusted yet: start codex and choose "Trust all and continue"/)
  const [found] = await about(home, 'codex')
  t.is(found?.severity, 'warning')
  t.regex(found!.evidence, /up to date, but of 9 memory hooks, 9 are not trusted yet; nothing captured yet$/)
  t.regex(found?.fix ?? '', /Trust all and continue/)
})

test('doctor reports disabled hooks', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{"hooksConfig": {"enabled": false}}' })
  await home.run(['connect', 'gemini', '--yes'])
  const [found] = await about(home, 'gemini')
  t.like(found, { severity: 'warning', fix: 'set hooksConfig.enabled to true' })
})

test('doctor reports a Copilot CLI hooks file that disables itself', async t => {
  const home = harnessHome(t, {
    '.copilot/hooks/memory-service.json': '{ "version": 1, "disableAllHooks": true }',
  })
  await home.run(['connect', 'copilot', '--yes'])
  const [found] = await about(home, 'copilot')
  t.like(found, { severity: 'warning', fix: 'set disableAllHooks to false' })
  t.regex(found!.evidence, /up to date, but hooks are disabled in memory-service\.json; /)
})

for (const file of [
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
]) {
  test(`doctor reports Copilot CLI hooks that ${file} of a project disables`, async t => {
    const home = harnessHome(t, { [`shop/${file}`]: '{ "disableAllHooks": true }' })
    const folder = join(home.home, 'shop')
    const words = ['connect', 'copilot', '--scope', 'project', '--yes']
    const { stderr } = await home.run(words, { folder })
    t.true(
      stderr.includes(`Copilot CLI: all hooks are disabled in ${file}: set disableAllHooks to false`),
      stderr,
    )
    const [found] = await about(home, 'copilot')
    t.is(found?.severity, 'warning')
    t.true(found?.evidence.includes(`up to date, but all hooks are disabled in ${file}; `), found?.evidence)
  })
}

test('doctor reports removed entries and invalid files', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{}', '.codex/config.toml': '' })
  await home.run(['connect', 'gemini', 'codex', '--yes'])
  home.write('.gemini/settings.json', '{}')
  home.write('.codex/config.toml', '[x\n')
  const all = await findings(home)
  t.like(
    all.filter(({ id }) => id === 'gemini'),
    [{ severity: 'warning', evidence: 'our entries were removed', fix: 'memory connect gemini' }],
  )
  const [codex] = all.filter(({ id }) => id === 'codex')
  t.is(codex?.severity, 'error')
  t.regex(codex!.evidence, /config\.toml:1: is not TOML/)
})

test('doctor checks connected projects while they exist', async t => {
  const home = harnessHome(t, { 'shop/x': '' })
  const folder = join(home.home, 'shop')
  await home.run(['connect', 'gemini', '--scope', 'project', '--yes'], { folder })
  const [found] = await about(home, 'gemini')
  t.regex(found!.evidence, /^connected in .*shop, hooks and MCP server up to date;/)
  rmSync(folder, { recursive: true })
  t.deepEqual(await about(home, 'gemini'), [])
})

test('doctor reports the last capture of an agent', async t => {
  const home = harnessHome(t, { '.codex/config.toml': '' })
  await home.run(['connect', 'codex', '--yes'])
  const { url } = await spawnDaemon(t, cliWorkspace(t)).ready()
  const transcript = 'user: when do we deploy?\nassistant: on Tuesdays'
  const reply = await fetch(`${url}/api/hooks/session-end`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ harness: 'codex', sessionKey: 'cx-1', transcript }),
  })
  const { transcriptCaptureJobId: job } = (await reply.json()) as { transcriptCaptureJobId: string }
  await until(async () => {
    const receipt = await fetch(`${url}/api/hooks/transcript-capture/${job}`)
    return ((await receipt.json()) as { status: string }).status === 'completed'
  })
  const [found] = await about(home, 'codex')
  t.regex(found!.evidence, /; last captured .*(?:now|ago)$/)
})
