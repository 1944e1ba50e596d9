import { join } from 'node:path'
import test from 'ava'
import { harnessHome } from '../helpers/harness-home.js'

test('Copilot CLI gets a hooks file of our own, without hooks before tools, and the MCP server', async t => {
  const home = harnessHome(t, { '.copilot/hooks/mine.json': '{ "version": 1, "hooks": {} }' })
  t.is((await home.run(['connect', 'copilot', '--yes'])).code, 0)
  const { version, hooks } = JSON.parse(home.read('.copilot/hooks/memory-service.json'))
  t.is(version, 1)
  const shapes = Object.entries(hooks as Record<string, Record<string, unknown>[]>).map(([event, [hook]]) => [
    event,
    hook?.type,
    hook?.timeoutSec,
  ])
  t.deepEqual(shapes, [
    ['sessionStart', 'command', 10],
    ['userPromptSubmitted', 'command', 7],
    ['postToolUse', 'command', 3],
    ['postToolUseFailure', 'command', 3],
    ['preCompact', 'command', 10],
    ['agentStop', 'command', 10],
    ['sessionEnd', 'command', 15],
  ])
  t.regex(hooks.sessionEnd[0].command, /hook session-end -H copilot --workspace /)
  const { memory } = JSON.parse(home.read('.copilot/mcp-config.json')).mcpServers
  t.like(memory, { type: 'local', tools: ['*'] })
  t.true(memory.args.includes('mcp'))
  t.is(home.read('.copilot/hooks/mine.json'), '{ "version": 1, "hooks": {} }')
})

test('existing tool rules of Copilot CLI are unchanged', async t => {
  const home = harnessHome(t, { '.copilot/x': '' })
  await home.run(['connect', 'copilot', '--yes'])
  const mine = home.read('.copilot/mcp-config.json').replace('"*"', '"memory_search"')
  home.write('.copilot/mcp-config.json', mine)
  t.is((await home.run(['connect', '--json'])).json().harnesses[5].state, 'connected')
  t.is((await home.run(['connect', 'copilot', '--yes'])).code, 0)
  t.is(home.read('.copilot/mcp-config.json'), mine)
})

test('Copilot CLI is found through COPILOT_HOME, and for a project below .github', async t => {
  const off = '{ "version": 1, "disableAllHooks": true, "hooks": {} }'
  const home = harnessHome(t, { 'c/hooks/memory-service.json': off, 'shop/.git/HEAD': '' })
  const env = { COPILOT_HOME: join(home.home, 'c') }
  const user = await home.run(['connect', '--all', '--yes'], { env })
  t.is(user.code, 0, user.stderr)
  t.regex(
    user.stderr,
    /Copilot CLI: hooks are disabled in memory-service\.json: set disableAllHooks to false/,
  )
  t.regex(home.read('c/hooks/memory-service.json'), /-H copilot/)
  t.regex(home.read('c/mcp-config.json'), /mcp/)
  const folder = join(home.home, 'shop')
  const before = home.files()
  const scoped = (verb: string) => home.run([verb, 'copilot', '--scope', 'project', '--yes'], { env, folder })
  const project = await scoped('connect')
  t.is(project.code, 0, project.stderr)
  t.regex(project.stderr, /only after you trust it/)
  t.regex(home.read('shop/.github/hooks/memory-service.json'), /-H copilot/)
  t.regex(home.read('shop/.github/mcp.json'), /mcp/)
  t.is((await scoped('disconnect')).code, 0)
  t.deepEqual(home.files(), before)
})
