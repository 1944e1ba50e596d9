import { join } from 'node:path'
import test from 'ava'
import { harnessHome } from '../helpers/harness-home.js'

/** Settings as users of each program have them, by path below the home folder. */
const usersFiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': {
    '.claude/settings.json': '{\n\t"model": "opus", // mine\n}\n',
    '.claude.json': '{"numStartups":12}',
  },
  codex: { '.codex/config.toml': 'model = "gpt"\r\n\r\n[mcp_servers.docs]\r\ncommand = "npx"' },
  opencode: { '.config/opencode/opencode.jsonc': '{\n  "theme": "dark", // at night\n}' },
  gemini: { '.gemini/settings.json': '\uFEFF{\r\n    "ui": {}\r\n}\r\n' },
  cursor: { '.cursor/mcp.json': '{}' },
  copilot: { '.copilot/mcp-config.json': '{\n  "mcpServers": {}\n}\n' },
  vscode: {
    '.config/Code/User/mcp.json': '{\n\t// mine\n\t"servers": { "docs": { "url": "https://d/mcp" } },\n}\n',
  },
  qwen: {
    '.qwen/settings.json':
      '{"ui":{"theme":"x"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}',
  },
  droid: { '.factory/hooks.json': '{\n  "Stop": []\n}\n', '.factory/mcp.json': '{}' },
  junie: { '.junie/config.json': '{\n  "model": "m" // fast\n}\n' },
  grok: { '.grok/config.toml': '[models]\ndefault = "x"' },
  devin: { '.config/devin/config.json': '{ "permissions": { "allow": [] } }\n' },
  kiro: { '.kiro/settings/mcp.json': '{\r\n  "mcpServers": {}\r\n}' },
  antigravity: { '.gemini/config/hooks.json': '{\n  "mine": { "Stop": [] }\n}\n' },
  kimi: { '.kimi-code/config.toml': 'default_model = "k"\n\n[tui]\n' },
  cline: { '.cline/data/settings/cline_mcp_settings.json': '{\n  "mcpServers": {\n  }\n}\n' },
  pi: {
    '.pi/agent/mcp.json': '{\n  "mcpServers": { "docs": { "url": "https://d/mcp" } }\n}',
    '.pi/agent/extensions/mine.js': 'export default () => {}\n',
  },
  'oh-my-pi': { '.omp/agent/mcp.json': '{"mcpServers":{}}\n' },
  'hermes-agent': {
    '.hermes/config.yaml':
      'model:\n  default: m # fast\nhooks: {}\n# mine\nmcp_servers:\n  docs:\n    url: https://d/mcp',
    '.hermes/shell-hooks-allowlist.json': '{"approvals": [{"event": "on_session_start", "command": "say"}]}',
  },
  openclaw: { '.openclaw/openclaw.json': '{\n  // mine\n  "plugins": { "slots": {} },\n}\n' },
  kilo: { '.config/kilo/kilo.jsonc': '{\n  // dark\n  "mcp": {},\n}\n' },
  'claude-desktop': { '.config/Claude/claude_desktop_config.json': '{"globalShortcut":""}' },
  zed: { '.config/zed/settings.json': '// Zed\n{\n  "theme": "One", // dark\n}\n' },
  warp: { '.warp/.mcp.json': '{}' },
  crush: { '.config/crush/crush.json': '{"$schema":"https://charm.land/crush.json"}' },
  goose: {
    '.config/goose/config.yaml': '# Goose\nGOOSE_MODEL: m\nextensions:\n  developer:\n    enabled: true\n',
  },
  amp: { '.config/amp/settings.json': '{\n  "amp.url": "u"\n}' },
  auggie: { '.augment/settings.json': '{"model":"m"}\n' },
  windsurf: { '.codeium/windsurf/mcp_config.json': '{\n    "mcpServers": {}\n}\n' },
  trae: { '.config/Trae/User/mcp.json': '{}' },
  'lm-studio': { '.lmstudio/mcp.json': '{\n  "mcpServers": {}\n}' },
  openhands: { '.openhands/mcp.json': '{}' },
  rovodev: { '.rovodev/mcp.json': '{}' },
  deepagents: { '.deepagents/.mcp.json': '{}' },
}

const linux = { XDG_CONFIG_HOME: '' }

test('every agent and client of the tables is connected and disconnected again byte for byte', async t => {
  const home = harnessHome(t, Object.assign({}, ...Object.values(usersFiles)))
  const before = home.files()
  const connected = await home.run(['connect', '--all', '--yes', '--json'], { env: linux })
  t.is(connected.code, 0, connected.stderr)
  const names = connected.json().harnesses.map(({ harness }: { harness: string }) => harness)
  t.deepEqual(names.sort(), Object.keys(usersFiles).sort())
  const states = (await home.run(['connect', '--json'], { env: linux })).json().harnesses
  for (const { harness, state } of states) if (harness in usersFiles) t.is(state, 'connected', harness)
  const again = await home.run(['connect', '--all', '--yes', '--json'], { env: linux })
  t.false(again.json().applied)
  const disconnected = await home.run(['disconnect', '--all', '--yes'], { env: linux })
  t.is(disconnected.code, 0, disconnected.stderr)
  t.deepEqual(home.files(), before)
})

test('a file that was changed since loses only our entries', async t => {
  const home = harnessHome(t, { '.factory/hooks.json': '{\n  "Stop": []\n}\n', '.warp/.mcp.json': '{}' })
  await home.run(['connect', 'droid', 'warp', 'antigravity', '--yes'])
  for (const path of ['.factory/hooks.json', '.warp/.mcp.json', '.gemini/config/hooks.json'])
    home.write(path, home.read(path).replace('{', '{ "mine": 1,'))
  await home.run(['disconnect', 'droid', 'warp', 'antigravity', '--yes'])
  t.deepEqual(JSON.parse(home.read('.factory/hooks.json')), { mine: 1, Stop: [] })
  t.deepEqual(JSON.parse(home.read('.warp/.mcp.json')), { mine: 1 })
  t.deepEqual(JSON.parse(home.read('.gemini/config/hooks.json')), { mine: 1 })
})

test('each agent gets hooks and server in its own form', async t => {
  const home = harnessHome(t)
  const all = [
    'vscode',
    'qwen',
    'droid',
    'junie',
    'grok',
    'devin',
    'kiro',
    'antigravity',
    'cline',
    'kilo',
    'kimi',
  ]
  t.is((await home.run(['connect', ...all, '--yes'], { env: linux })).code, 0)
  const json = (path: string) => JSON.parse(home.read(path))
  const command = /hook user-prompt-submit -H (\S+)/
  const vscode = json('.copilot/hooks/memory-service-vscode.json')
  t.deepEqual(Object.keys(vscode.hooks), [
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'SubagentStart',
    'Stop',
  ])
  t.regex(vscode.hooks.UserPromptSubmit[0].command, command)
  t.like(json('.config/Code/User/mcp.json').servers.memory, { type: 'stdio' })
  t.regex(json('.qwen/settings.json').hooks.UserPromptSubmit[0].hooks[0].command, command)
  t.regex(json('.factory/hooks.json').UserPromptSubmit[0].hooks[0].command, command)
  t.regex(json('.junie/config.json').hooks.UserPromptSubmit[0].hooks[0].command, command)
  t.regex(json('.grok/hooks/memory-service.json').hooks.UserPromptSubmit[0].hooks[0].command, command)
  t.regex(
    home.read('.grok/config.toml'),
    /^\[mcp_servers\.memory\]\ncommand = .*\nargs = .*\nstartup_timeout_sec = 30$/m,
  )
  t.regex(json('.config/devin/config.json').hooks.UserPromptSubmit[0].hooks[0].command, command)
  const kiro = json('.kiro/hooks/memory-service.json')
  t.like(kiro.hooks[1], { trigger: 'UserPromptSubmit', timeout: 7, enabled: true })
  t.regex(kiro.hooks[1].action.command, command)
  t.regex(
    home.read('.kimi-code/config.toml'),
    /^\[\[hooks\]\]\nevent = "UserPromptSubmit"\ncommand = .*\ntimeout = 7$/m,
  )
  t.truthy(json('.kimi-code/mcp.json').mcpServers.memory.command)
  const antigravity = json('.gemini/config/hooks.json')['memory-service']
  t.true(antigravity.enabled)
  t.regex(antigravity.PreInvocation[0].command, command)
  t.like(json('.cline/data/settings/cline_mcp_settings.json').mcpServers.memory, { disabled: false })
  const task = home.read('.cline/hooks/TaskComplete.mjs')
  t.regex(task, /^\/\/ memory-service plugin for Cline\n[\s\S]*^const installed = \{"harness":"cline"/m)
  const plugin = home.read('.config/kilo/plugins/memory-service.js')
  t.regex(plugin, /^\/\/ memory-service plugin for Kilo Code\n/)
  t.regex(plugin, /^const installed = \{"harness":"kilo"/m)
})

test('hooks of Factory Droid go where it reads them', async t => {
  const home = harnessHome(t, { '.factory/settings.json': '{"hooks":{"Stop":[]}}' })
  await home.run(['connect', 'droid', '--yes'])
  t.deepEqual(Object.keys(JSON.parse(home.read('.factory/settings.json')).hooks), [
    'Stop',
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'SessionEnd',
  ])
  await home.run(['disconnect', 'droid', '--yes'])
  t.is(home.read('.factory/settings.json'), '{"hooks":{"Stop":[]}}')
})

test('hooks after tools follow capture.toolUse, and every byte is restored', async t => {
  const files = {
    '.claude/settings.json': '{\n  "hooks": { "PostToolUse": [{ "matcher": "Edit", "hooks": [] }] }\n}\n',
    '.gemini/settings.json': '{"theme":"dark"}\n',
    '.qwen/settings.json': '{ "hooks": {} }',
    '.kimi-code/config.toml': 'model = "heron" # mine',
    '.hermes/config.yaml': 'hooks:\n  post_tool_call:\n    - { command: "mine", timeout: 5 }\n',
    '.config/devin/config.json': '{"hooks":{"PostToolUse":[]},"a":1}',
    '.cursor/hooks.json': '{"version":1,"hooks":{"postToolUse":[{"command":"./mine.sh"}]}}',
  }
  const paths = Object.keys(files) as (keyof typeof files)[]
  const home = harnessHome(t, files)
  const all = ['claude', 'gemini', 'qwen', 'kimi', 'hermes', 'devin', 'cursor']
  const connect = async () => t.is((await home.run(['connect', ...all, '--yes'], { env: linux })).code, 0)
  await connect()
  for (const path of paths) t.regex(home.read(path), /hook tool-use -H /u, path)
  t.is((await home.run(['config', 'set', 'capture.toolUse', 'off'])).code, 0)
  const { stdout } = await home.run(['connect', '--json'], { env: linux })
  const { harnesses } = JSON.parse(stdout) as { harnesses: { harness: string; state: string }[] }
  t.is(harnesses.find(({ harness }) => harness === 'claude-code')?.state, 'outdated')
  await connect()
  for (const path of paths) t.notRegex(home.read(path), /tool-use/u, path)
  t.is((await home.run(['config', 'set', 'capture.toolUse', 'full'])).code, 0)
  await connect()
  t.is((await home.run(['disconnect', ...all, '--yes'], { env: linux })).code, 0)
  for (const path of paths) t.is(home.read(path), files[path], path)
})

test('projects have files of their own, where the agent reads them', async t => {
  const home = harnessHome(t)
  const folder = join(home.home, 'shop')
  home.write('shop/readme', '')
  const project = ['--scope', 'project', '--yes']
  const { code } = await home.run(['connect', 'devin', 'kiro', 'vscode', 'zed', ...project], { folder })
  t.is(code, 0)
  t.truthy(JSON.parse(home.read('shop/.devin/hooks.v1.json')).SessionStart)
  for (const path of ['.kiro/hooks/memory-service.json', '.vscode/mcp.json', '.zed/settings.json'])
    t.truthy(home.read(`shop/${path}`))
  const { code: refused, stderr } = await home.run(['connect', 'windsurf', ...project], { folder })
  t.is(refused, 2)
  t.regex(stderr, /Windsurf has no files for projects/)
  await home.run(['disconnect', 'devin', 'kiro', 'vscode', 'zed', ...project], { folder })
  t.deepEqual(Object.keys(home.files()), ['shop', 'shop/readme'])
})

test('a hooks file or an entry of another program is refused', async t => {
  const home = harnessHome(t, {
    '.kiro/hooks/memory-service.json': '{"version":"v1","hooks":[]}',
    '.gemini/config/hooks.json': '{"memory-service":{"Stop":[]}}',
  })
  for (const name of ['kiro', 'antigravity']) {
    const { code, stderr } = await home.run(['connect', name, '--yes'])
    t.is(code, 4)
    t.regex(stderr, /of another program|another entry "memory-service"/)
  }
})

test('--list names every agent, and a client without a file gets its entry printed', async t => {
  const home = harnessHome(t)
  const { stdout } = await home.run(['connect', '--list'])
  for (const name of ['claude-code', 'qwen', 'antigravity', 'zed', 'claude-desktop', 'chatgpt', 'letta'])
    t.regex(stdout, new RegExp(`^${name} `, 'm'))
  t.notRegex((await home.run(['connect'])).stdout, /^zed /m)
  const { code, stdout: printed } = await home.run(['connect', 'chatgpt'])
  t.is(code, 0)
  t.regex(printed, /Settings > MCP servers/)
  t.truthy(JSON.parse(printed.slice(printed.indexOf('{'))).mcpServers.memory.command)
  const [report] = (await home.run(['connect', 'chatgpt', '--json'])).json().harnesses
  t.regex(report.printed, /mcpServers/)
})
