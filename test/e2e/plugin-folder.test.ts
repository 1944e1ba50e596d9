import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { type ToolQueueFiles, toolQueueFiles } from '../../src/lib/files/tool-queue-files.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { harnessHome } from '../helpers/harness-home.js'
import { startHookServer } from '../helpers/hook-server.js'
import { connectStdio } from '../helpers/mcp.js'

const folder = join(import.meta.dirname, '..', '..', 'plugin', 'memory-service')
const enabled = '{\n  "enabledPlugins": { "memory-service@memory-service": true }\n}\n'
const event = JSON.stringify({ session_id: 's-1', cwd: '/tmp', hook_event_name: 'UserPromptSubmit' })
const hook = ['hook', 'user-prompt-submit', '-H', 'claude-code', '--timeout', '20000', '--plugin']

test('manifests name files that exist, and skills have the names of their folders', t => {
  for (const manifest of ['.claude-plugin', '.codex-plugin', '.cursor-plugin', '.plugin']) {
    const { hooks, mcpServers, version } = JSON.parse(
      readFileSync(join(folder, manifest, 'plugin.json'), 'utf8'),
    )
    for (const path of [hooks, mcpServers]) t.true(existsSync(join(folder, path)), `${manifest}: ${path}`)
    t.is(version, JSON.parse(readFileSync(join(folder, '..', '..', 'package.json'), 'utf8')).version)
  }
  for (const skill of readdirSync(join(folder, 'skills'))) {
    const text = readFileSync(join(folder, 'skills', skill, 'SKILL.md'), 'utf8')
    t.regex(text, new RegExp(`^---\\nname: ${skill}\\ndescription: .{20,}\\n---\\n`, 'u'))
  }
})

test('connect notices the plug-in of each agent, and adds nothing', async t => {
  const { run, files } = harnessHome(t, {
    '.claude/settings.json': enabled,
    '.copilot/settings.json': enabled,
    '.codex/config.toml': '[plugins."memory-service@memory-service"]\nenabled = true\n',
    '.gemini/config/plugins/memory-service/plugin.json': '{}',
  })
  const before = files()
  const names = ['claude', 'codex', 'copilot', 'antigravity']
  const { stdout } = await run(['connect', ...names, '--yes'])
  for (const command of ['claude plugin uninstall', 'codex plugin remove', 'copilot plugin uninstall'])
    t.true(stdout.includes(`To connect it here instead: ${command} memory-service@memory-service`), command)
  t.deepEqual(files(), before)
  const { harnesses } = JSON.parse((await run(['connect', '--list', '--json'])).stdout)
  const states = harnesses.filter(({ state }: { state: string }) => state === 'plugin')
  t.deepEqual(
    states.map(({ harness }: { harness: string }) => harness),
    ['claude-code', 'codex', 'copilot', 'antigravity'],
  )
})

test('a disabled plug-in does not count', async t => {
  const { run } = harnessHome(t, { '.claude/settings.json': enabled.replace('true', 'false') })
  const { applied } = JSON.parse((await run(['connect', 'claude', '--yes', '--json'])).stdout)
  t.true(applied)
})

test('hooks of the plug-in do nothing while memory connect has connected the agent', async t => {
  const { seen } = await startHookServer(t, response => response.end('context'))
  const { run, write, read } = harnessHome(t)
  const say = async () => (await run(hook, { stdin: event })).stdout
  t.is(await say(), 'context')
  await run(['connect', 'claude', '--yes'])
  t.is(await say(), '')
  t.is(seen.length, 1)
  // The record of the connection remains, but its entries are gone.
  t.regex(read('.claude/settings.json'), /-H claude-code/u)
  write('.claude/settings.json', '{}')
  t.is(await say(), 'context')
})

test('its hook after a tool notes a use, unless the agent is connected', async t => {
  const { run } = harnessHome(t)
  const { permit, lines } = toolQueueFiles(workspacePaths(cliWorkspace(t)).toolQueue, 's-1') as ToolQueueFiles
  mkdirSync(dirname(permit), { recursive: true })
  const about = { agentId: 'default', sessionKey: 's-1', harness: 'claude-code' }
  writeFileSync(permit, JSON.stringify({ ...about, cwds: ['/tmp'], hasRules: false, full: false }))
  const { PostToolUse, PostToolUseFailure } = JSON.parse(
    readFileSync(join(folder, 'hooks/claude-code.json'), 'utf8'),
  ).hooks
  t.deepEqual(PostToolUse, PostToolUseFailure)
  const words = PostToolUse[0].hooks[0].command.split(' ').slice(1)
  const use = { session_id: 's-1', cwd: '/tmp', tool_name: 'Bash', tool_input: { command: 'npm test' } }
  const noted = async () => {
    await run(words, { stdin: JSON.stringify(use) })
    return readFileSync(lines, 'utf8').trim().split('\n').length
  }
  t.is(await noted(), 1)
  await run(['connect', 'claude', '--yes'])
  t.is(await noted(), 1)
})

test('the server of the plug-in has no tools and no instructions then', async t => {
  const { run } = harnessHome(t)
  const listed = async (...words: string[]) => {
    const client = await connectStdio(t, words)
    const { tools } = await client.listTools()
    return { tools: tools.length, instructions: client.getInstructions() }
  }
  t.true((await listed('--plugin', 'claude-code')).tools > 5)
  await run(['connect', 'claude', '--yes', '--no-mcp'])
  t.true((await listed('--plugin', 'claude-code')).tools > 5)
  await run(['connect', 'claude', '--yes'])
  t.deepEqual(await listed('--plugin', 'claude-code'), { tools: 0, instructions: undefined })
  t.true((await listed('--plugin', 'cursor')).tools > 5)
  t.true(existsSync(cliWorkspace(t)))
})
