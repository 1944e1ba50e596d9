import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { cliWorkspace } from '../helpers/cli.js'
import { spawnDaemon } from '../helpers/daemon-process.js'
import { harnessHome } from '../helpers/harness-home.js'

/**
 * Users' files with comments, hooks and servers of their own, tabs, CRLF, a missing last newline, and
 * minified JSON.
 */
const usersFiles = {
  '.claude/settings.json': `{
	// how I like it
	"model": "opus",
	"hooks": {
		"Stop": [
			{ "hooks": [ { "type": "command", "command": "say done" } ] }, // spoken
		],
	},
}
`,
  '.claude.json': '{"numStartups":12,"mcpServers":{"memory":{"command":"npx","args":["-y","other"]}}}',
  '.codex/config.toml': 'model = "gpt"\r\n\r\n[mcp_servers.docs]\r\ncommand = "npx"\r\nenv = { A = "1" }',
  '.config/opencode/opencode.jsonc': '{\n  "theme": "dark", // at night\n  "plugin": []\n}',
  '.gemini/settings.json': '\uFEFF{\r\n    "ui": { "theme": "x" },\r\n    "mcpServers": {}\r\n}\r\n',
  '.cursor/mcp.json': '{}',
  '.copilot/mcp-config.json': '{\n  "mcpServers": {}\n}\n',
}

test('every agent is connected and disconnected again byte for byte', async t => {
  const home = harnessHome(t, usersFiles)
  const before = home.files()
  const connected = await home.run(['connect', '--all', '--yes', '--json'])
  t.is(connected.code, 0, connected.stderr)
  t.true(connected.json().applied)
  t.deepEqual(
    connected.json().harnesses.map(({ harness }: { harness: string }) => harness),
    ['claude-code', 'codex', 'opencode', 'gemini', 'cursor', 'copilot'],
  )
  const states = (await home.run(['connect', '--json'])).json().harnesses
  for (const { harness, state } of states) t.is(state, 'connected', harness)

  const again = await home.run(['connect', '--all', '--yes', '--json'])
  t.false(again.json().applied)

  const disconnected = await home.run(['disconnect', '--all', '--yes'])
  t.is(disconnected.code, 0, disconnected.stderr)
  t.deepEqual(home.files(), before)
  const { connections } = { connections: join(cliWorkspace(t), '.daemon', 'connections') }
  t.deepEqual(readdirSync(connections), [])
})

test('Claude Code gets its ten hooks with matchers and timeouts, and the MCP server', async t => {
  const home = harnessHome(t, { '.claude/settings.json': '{}', '.claude.json': '{}' })
  t.is((await home.run(['connect', 'claude', '--yes'])).code, 0)
  const { hooks } = JSON.parse(home.read('.claude/settings.json'))
  const shapes = Object.entries(hooks as Record<string, { matcher?: string; hooks: Hook[] }[]>).map(
    ([event, [group]]) => [event, group?.matcher, group?.hooks[0]?.type, group?.hooks[0]?.timeout],
  )
  t.deepEqual(shapes, [
    ['SessionStart', 'startup|resume|clear|compact|fork', 'command', 10],
    ['UserPromptSubmit', undefined, 'command', 7],
    ['PreToolUse', '*', 'command', 3],
    ['PostToolUse', '*', 'command', 3],
    ['PostToolUseFailure', '*', 'command', 3],
    ['PreCompact', 'manual|auto', 'command', 10],
    ['PostCompact', undefined, 'command', 10],
    ['Stop', undefined, 'command', 10],
    ['SubagentStart', undefined, 'command', 3],
    ['SessionEnd', undefined, 'command', 15],
  ])
  t.regex(hooks.SessionEnd[0].hooks[0].command, /hook session-end -H claude-code --workspace /)
  const { mcpServers } = JSON.parse(home.read('.claude.json'))
  t.true(mcpServers.memory.args.includes('mcp'))
})

interface Hook {
  type: string
  timeout: number
}

test('Codex gets hooks, its server as a table, and a note about trusting hooks', async t => {
  const home = harnessHome(t, { '.codex/config.toml': '[features]\nhooks = false\n' })
  const { stderr } = await home.run(['connect', 'codex', '--yes'])
  t.regex(stderr, /\/hooks/)
  t.regex(stderr, /set hooks = true below \[features\]/)
  const { hooks } = JSON.parse(home.read('.codex/hooks.json'))
  t.is(hooks.SessionEnd[0].hooks[0].timeout, 3)
  t.is(hooks.SessionStart[0].hooks[0].statusMessage, 'loading memory')
  t.is(hooks.SessionStart[0].matcher, 'startup|resume|clear|compact|fork')
  t.regex(
    home.read('.codex/config.toml'),
    /^\[features\]\nhooks = false\n\n\[mcp_servers\.memory\]\ncommand = "/,
  )
})

test('Gemini CLI has timeouts in milliseconds; Cursor has a version and no groups', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{}', '.cursor/x': '' })
  t.is((await home.run(['connect', 'gemini', 'cursor', '--yes'])).code, 0)
  const { hooks } = JSON.parse(home.read('.gemini/settings.json'))
  t.like(hooks.BeforeAgent[0].hooks[0], { name: 'memory', type: 'command', timeout: 7000 })
  const cursor = JSON.parse(home.read('.cursor/hooks.json'))
  t.is(cursor.version, 1)
  t.is(cursor.hooks.sessionStart[0].timeout, 10)
  t.regex(cursor.hooks.beforeSubmitPrompt[0].command, /hook user-prompt-submit -H cursor/)
})

test('--transport http lets Claude Code call the daemon directly, except at the start', async t => {
  const home = harnessHome(t, { '.claude/settings.json': '{}' })
  const env = { SERVICE_PORT: '4567' }
  t.is((await home.run(['connect', 'claude', '--transport', 'http', '--yes'], { env })).code, 0)
  const { hooks } = JSON.parse(home.read('.claude/settings.json'))
  t.is(hooks.SessionStart[0].hooks[0].type, 'command')
  t.like(hooks.UserPromptSubmit[0].hooks[0], {
    type: 'http',
    url: 'http://127.0.0.1:4567/api/hooks/harness/claude-code/user-prompt-submit',
  })
  const { memory } = JSON.parse(home.read('.claude.json')).mcpServers
  t.like(memory, { type: 'http', url: 'http://127.0.0.1:4567/mcp' })
  t.regex(memory.headers['x-service-workspace'], /^[0-9a-f]{16}$/)

  t.is((await home.run(['connect', 'claude', '--yes'], { env })).code, 0)
  t.false(home.read('.claude/settings.json').includes('"http"'))
  t.deepEqual(Object.keys(JSON.parse(home.read('.claude.json')).mcpServers), ['memory'])
})

test('connect reports disabled hooks', async t => {
  const home = harnessHome(t, {
    '.claude/settings.json': '{"disableAllHooks": true}',
    '.gemini/settings.json': '{"hooksConfig": {"enabled": false}}',
  })
  const { stderr } = await home.run(['connect', 'claude', 'gemini', '--yes'])
  t.regex(stderr, /Claude Code: hooks are disabled in settings\.json: set disableAllHooks to false/)
  t.regex(stderr, /Gemini CLI: hooks are disabled in settings\.json: set hooksConfig\.enabled to true/)
})

test('URL entries follow the daemon to another port', async t => {
  const home = harnessHome(t, { '.claude/settings.json': '{}', '.claude.json': '{ "a": 1 }' })
  const words = ['connect', 'claude', '--transport', 'http', '--yes']
  for (const port of ['4567', '4568']) t.is((await home.run(words, { env: { SERVICE_PORT: port } })).code, 0)
  t.false(home.read('.claude/settings.json').includes(':4567/'))
  const { mcpServers } = JSON.parse(home.read('.claude.json'))
  t.deepEqual(Object.keys(mcpServers), ['memory'])
  t.like(mcpServers.memory, { type: 'http', url: 'http://127.0.0.1:4568/mcp' })
  home.write('.claude.json', home.read('.claude.json').replace('"a": 1', '"a": 2'))
  t.is((await home.run(['disconnect', 'claude', '--yes'], { env: { SERVICE_PORT: '4569' } })).code, 0)
  t.is(home.read('.claude.json'), '{ "a": 2 }')
})

test('--transport http is a usage error for other agents, and without a fixed port', async t => {
  const home = harnessHome(t, { '.codex/x': '' })
  const codex = await home.run(['connect', 'codex', '--transport', 'http', '--yes'])
  t.is(codex.code, 2)
  t.regex(codex.stderr, /works only with Claude Code: Codex CLI/)
  const claude = await home.run(['connect', 'claude', '--transport', 'http', '--yes', '--json'])
  t.is(claude.json().code, 'port_not_fixed')
})

test('URL entries for a port that may change come with a warning and a fix', async t => {
  const home = harnessHome(t, { '.claude/settings.json': '{}' })
  const connect = (words: string[], env: Record<string, string>) =>
    home.run(['connect', 'claude', '--transport', 'http', ...words], { env })
  const { json } = await connect(['--dry-run', '--json'], { SERVICE_PORT: '4567' })
  t.regex(
    json().harnesses[0].hints.join(),
    /port 4567 comes from SERVICE_PORT of this shell.*set daemon\.port 4567/,
  )

  const { port } = (await spawnDaemon(t, cliWorkspace(t)).ready()).registration
  const { code, stderr } = await connect(['--yes'], { SERVICE_PORT: '0' })
  t.is(code, 0)
  t.true(home.read('.claude.json').includes(`:${port}/mcp`))
  t.regex(
    stderr,
    new RegExp(`port ${port} was chosen automatically.*set daemon\\.port ${port}.*do not set SERVICE_PORT=0`),
  )

  t.is((await home.run(['config', 'set', 'daemon.port', '4567'])).code, 0)
  const fixed = await connect(['--dry-run', '--json'], { SERVICE_PORT: '' })
  t.false(fixed.json().harnesses[0].hints.join().includes('daemon.port'))
})

test('--dry-run shows the exact changes and writes nothing', async t => {
  const home = harnessHome(t, usersFiles)
  const before = home.files()
  const { code, stdout, stderr } = await home.run(['connect', 'claude', 'codex', '--dry-run'])
  t.is(code, 0)
  t.regex(stdout, /^--- .*\/\.claude\/settings\.json$/m)
  t.regex(stdout, /^\+.*hook session-start -H claude-code/m)
  t.regex(stderr, /Nothing was changed/)
  const removed = stdout.split('\n').filter(line => /^-(?!--)/u.test(line))
  t.true(removed.length <= 3, removed.join('\n'))
  t.deepEqual(home.files(), before)
  t.false(existsSync(join(cliWorkspace(t), '.daemon', 'connections')))
})

test('added lines are green, and plain without colours', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{}' })
  const shown = async (env: Record<string, string>) =>
    (await home.run(['connect', 'gemini', '--dry-run'], { env })).stdout
  t.true((await shown({ FORCE_COLOR: '1' })).includes('\u001b[32m+  "hooks": {\u001b[39m'))
  t.false((await shown({ NO_COLOR: '1' })).includes('\u001b'))
})

test('without a terminal connect needs --yes', async t => {
  const home = harnessHome(t, usersFiles)
  const before = home.files()
  const { code, json } = await home.run(['connect', 'claude', '--json'])
  t.is(code, 2)
  t.is(json().code, 'confirmation_required')
  t.deepEqual(home.files(), before)
})

test('an invalid file is refused with its line; other agents are connected', async t => {
  const home = harnessHome(t, {
    '.claude/settings.json': '{\n  "a": 1\n  "b": 2\n}',
    '.gemini/settings.json': '{}',
  })
  const alone = await home.run(['connect', 'claude', '--yes'])
  t.is(alone.code, 4)
  t.regex(alone.stderr, /\.claude\/settings\.json:3: is not JSON: comma expected; nothing was written/)
  t.false(existsSync(join(home.home, '.claude.json')))

  const both = await home.run(['connect', '--all', '--yes', '--json'])
  t.is(both.code, 4)
  t.like(both.json().failures, [{ harness: 'claude-code', code: 'invalid_settings_file' }])
  t.regex(home.read('.gemini/settings.json'), /-H gemini/)
  t.is(home.read('.claude/settings.json'), '{\n  "a": 1\n  "b": 2\n}')
})

test('a read-only file is refused, and files written before it are restored', async t => {
  const home = harnessHome(t, { '.cursor/hooks.json': '{"version":1}', '.cursor/mcp.json': '{}' })
  chmodSync(join(home.home, '.cursor/mcp.json'), 0o444)
  const before = home.files()
  const { code, stderr } = await home.run(['connect', 'cursor', '--yes'])
  t.is(code, 4)
  t.regex(stderr, /mcp\.json is read-only; nothing was written/)
  t.deepEqual(home.files(), before)
  t.is((await home.run(['connect', '--json'])).json().harnesses[4].connection, undefined)
})

test('a linked settings file stays a link, with its permissions', async t => {
  const home = harnessHome(t, { 'dotfiles/claude.json': '{}' })
  mkdirSync(join(home.home, '.claude'))
  const link = join(home.home, '.claude', 'settings.json')
  symlinkSync('../dotfiles/claude.json', link)
  chmodSync(join(home.home, 'dotfiles/claude.json'), 0o640)
  t.is((await home.run(['connect', 'claude', '--yes'])).code, 0)
  t.is(readlinkSync(link), '../dotfiles/claude.json')
  t.regex(home.read('dotfiles/claude.json'), /-H claude-code/)
  t.is(statSync(link).mode & 0o777, 0o640)
  t.is((await home.run(['disconnect', 'claude', '--yes'])).code, 0)
  t.is(home.read('dotfiles/claude.json'), '{}')
})

test('changes that a person made after connecting are kept; our entries are removed', async t => {
  const home = harnessHome(t, usersFiles)
  await home.run(['connect', 'claude', 'codex', '--yes'])
  home.write('.claude/settings.json', home.read('.claude/settings.json').replace('"opus"', '"sonnet"'))
  home.write('.codex/config.toml', `${home.read('.codex/config.toml')}\n[tui]\ntheme = "x"\n`)
  t.is((await home.run(['disconnect', 'claude', 'codex', '--yes'])).code, 0)
  t.is(home.read('.claude/settings.json'), usersFiles['.claude/settings.json'].replace('"opus"', '"sonnet"'))
  t.is(home.read('.codex/config.toml'), `${usersFiles['.codex/config.toml']}\r\n\n[tui]\ntheme = "x"\n`)
  t.false(existsSync(join(home.home, '.codex/hooks.json')))
})

test('disconnect removes our entries even without a record', async t => {
  const home = harnessHome(t, { '.gemini/settings.json': '{\n  "a": 1\n}\n' })
  await home.run(['connect', 'gemini', '--yes'], { env: { SERVICE_WORKSPACE: join(home.home, 'other') } })
  t.is((await home.run(['connect', 'gemini', '--json', '--dry-run'])).json().harnesses[0].files.length, 1)
  t.is((await home.run(['disconnect', '--all', '--yes'])).code, 0)
  t.is(home.read('.gemini/settings.json'), '{\n  "a": 1\n}\n')
})

test('backup copies are private, with a record of the changes', async t => {
  const home = harnessHome(t, usersFiles)
  await home.run(['connect', 'claude', '--yes'])
  const folder = join(cliWorkspace(t), '.daemon', 'connections', 'claude-code', 'user')
  const record = JSON.parse(readFileSync(join(folder, 'record.json'), 'utf8'))
  t.like(record, { harness: 'claude-code', scope: 'user', transport: 'command', withMcp: true })
  for (const { path, backup } of record.files) {
    const copy = readFileSync(join(folder, backup), 'utf8')
    t.is(copy, usersFiles[path.slice(home.home.length + 1) as keyof typeof usersFiles])
    t.is(statSync(join(folder, backup)).mode & 0o777, 0o600)
  }
})

test('project scope writes only below the current folder', async t => {
  const home = harnessHome(t, { 'shop/.git/HEAD': '', '.claude/settings.json': '{}' })
  const folder = join(home.home, 'shop')
  const before = home.files()
  const scoped = (words: string[]) => home.run([...words, '--scope', 'project', '--yes'], { folder })
  const { code, stderr } = await scoped(['connect', 'claude', 'codex', 'opencode', 'gemini', 'cursor'])
  t.is(code, 0, stderr)
  t.regex(stderr, /do not commit the entries/)
  const changed = Object.keys(home.files()).filter(name => /\.(?:json|toml|js)$/u.test(name))
  t.deepEqual(changed, [
    '.claude/settings.json',
    'shop/.claude/settings.json',
    'shop/.codex/config.toml',
    'shop/.codex/hooks.json',
    'shop/.cursor/hooks.json',
    'shop/.cursor/mcp.json',
    'shop/.gemini/settings.json',
    'shop/.mcp.json',
    'shop/.opencode/plugins/memory-service.js',
    'shop/opencode.json',
  ])
  t.is(home.read('.claude/settings.json'), '{}')
  t.is((await scoped(['disconnect', '--all'])).code, 0)
  t.deepEqual(home.files(), before)
})

test('CLAUDE_CONFIG_DIR, CODEX_HOME and XDG_CONFIG_HOME are honoured', async t => {
  const home = harnessHome(t, {
    'a/settings.json': '{}',
    'b/config.toml': '',
    'c/opencode/opencode.json': '{}',
  })
  const env = {
    CLAUDE_CONFIG_DIR: join(home.home, 'a'),
    CODEX_HOME: join(home.home, 'b'),
    XDG_CONFIG_HOME: join(home.home, 'c'),
  }
  const { stdout } = await home.run(['connect', '--all', '--yes', '--json'], { env })
  t.is(JSON.parse(stdout).harnesses.length, 3)
  for (const path of [
    'a/settings.json',
    'a/.claude.json',
    'b/hooks.json',
    'b/config.toml',
    'c/opencode/opencode.json',
  ])
    t.regex(home.read(path), /run\.js|memory/u, path)
})

test('--no-mcp leaves MCP servers unchanged', async t => {
  const home = harnessHome(t, { '.claude/settings.json': '{}' })
  await home.run(['connect', 'claude', '--no-mcp', '--yes'])
  t.false(existsSync(join(home.home, '.claude.json')))
  t.is((await home.run(['connect', '--json'])).json().harnesses[0].state, 'connected')
})

test('an outdated entry is reported and updated in place', async t => {
  const command = "'/old/node' '/old/bin/run.js' hook session-start -H gemini"
  const old = {
    hooks: { SessionStart: [{ hooks: [{ name: 'memory', type: 'command', command, timeout: 5 }] }] },
  }
  const home = harnessHome(t, { '.gemini/settings.json': JSON.stringify(old) })
  t.is((await home.run(['connect', '--json'])).json().harnesses[3].state, 'outdated')
  await home.run(['connect', 'gemini', '--yes'])
  const { hooks } = JSON.parse(home.read('.gemini/settings.json'))
  t.is(hooks.SessionStart.length, 1)
  t.is(hooks.SessionStart[0].hooks[0].timeout, 10_000)
  t.false(home.read('.gemini/settings.json').includes('/old/'))
})

test('an agent that is not installed is reported as missing', async t => {
  const home = harnessHome(t)
  const env = { PATH: join(process.execPath, '..') }
  const listed = await home.run(['connect'], { env })
  t.regex(listed.stdout, /claude-code {2}not installed {2}no .*\.claude, no claude on the PATH/)
  const all = await home.run(['connect', '--all', '--yes', '--json'], { env })
  t.is(all.code, 3)
  t.is(all.json().code, 'not_found')
  t.regex((await home.run(['connect', 'gemini', '--dry-run'], { env })).stdout, /not found on this machine/)
})

test('connect needs a target; --all and names exclude each other', async t => {
  const home = harnessHome(t)
  t.is((await home.run(['disconnect'])).code, 2)
  t.is((await home.run(['connect', '--yes'])).code, 2)
  t.is((await home.run(['disconnect', 'claude', '--all'])).code, 2)
  t.is((await home.run(['disconnect', '--all', '--json'])).json().code, 'not_found')
  t.is((await home.run(['connect', 'emacs'])).code, 2)
})
