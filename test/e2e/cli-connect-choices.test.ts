import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { harnessHome } from '../helpers/harness-home.js'

test('MCP servers get the names of set variables, and no key value is written', async t => {
  const before = {
    '.codex/config.toml': '',
    '.gemini/settings.json': '{}',
    '.cursor/mcp.json': '{}',
    '.claude.json': '{}',
    '.copilot/mcp-config.json': '{}',
  }
  const home = harnessHome(t, before)
  const env = { SERVICE_PORT: '4567', SERVICE_API_KEY: 'sk_very_secret', SERVICE_DAEMON_URL: '' }
  const words = ['codex', 'gemini', 'cursor', 'claude', 'copilot']
  await home.run(['connect', ...words, '--yes'], {
    env: { SERVICE_PORT: '', SERVICE_NO_AUTOSTART: '', SERVICE_EMBEDDING_DOWNLOAD: '' },
  })
  t.false(home.read('.codex/config.toml').includes('env_vars'))
  t.is((await home.run(['connect', ...words, '--yes'], { env })).code, 0)
  const names = ['SERVICE_PORT', 'SERVICE_NO_AUTOSTART', 'SERVICE_EMBEDDING_DOWNLOAD', 'SERVICE_API_KEY']
  t.true(
    home.read('.codex/config.toml').includes(`env_vars = ${JSON.stringify(names).replaceAll(',', ', ')}`),
  )
  const server = (path: string) => JSON.parse(home.read(path)).mcpServers.memory
  t.deepEqual(server('.gemini/settings.json').env, Object.fromEntries(names.map(name => [name, `$${name}`])))
  t.like(server('.cursor/mcp.json').env, {
    SERVICE_PORT: '4567',
    SERVICE_API_KEY: ['$', '{env:SERVICE_API_KEY}'].join(''),
  })
  t.is(server('.claude.json').env, undefined)
  t.is(server('.copilot/mcp-config.json').env, undefined)
  for (const [path, text] of Object.entries(home.files())) t.false(text.includes('sk_very_secret'), path)

  t.false((await home.run(['connect', ...words, '--yes', '--json'], { env })).json().applied)
  t.is((await home.run(['disconnect', ...words, '--yes'])).code, 0)
  t.deepEqual(
    Object.entries(home.files()).filter(([, text]) => text !== ''),
    Object.entries(before)
      .filter(([, text]) => text !== '')
      .sort(),
  )
})

test('--allow-tools lets agents call the tools without asking, --no-allow-tools reverts it', async t => {
  const files = {
    '.claude/settings.json': '{ "permissions": { "allow": ["Bash(ls)"] } }',
    '.claude.json': '{}',
    '.gemini/settings.json': '{}',
  }
  const home = harnessHome(t, files)
  const connect = (...flags: string[]) =>
    home.run(['connect', 'claude', 'gemini', '--yes', '--json', ...flags])
  const allowed = () => [
    JSON.parse(home.read('.claude/settings.json')).permissions.allow,
    JSON.parse(home.read('.gemini/settings.json')).mcpServers.memory.trust,
  ]
  await connect()
  t.deepEqual(allowed(), [['Bash(ls)'], undefined])
  t.is((await connect('--allow-tools')).code, 0)
  t.deepEqual(allowed(), [['Bash(ls)', 'mcp__memory'], true])
  t.false((await connect()).json().applied)
  t.like((await home.run(['connect', '--json'])).json().harnesses[3], { state: 'connected' })
  await connect('--no-allow-tools')
  t.deepEqual(allowed(), [['Bash(ls)'], undefined])
  await connect('--allow-tools')
  t.is((await home.run(['disconnect', 'claude', 'gemini', '--yes'])).code, 0)
  for (const [path, text] of Object.entries(files)) t.is(home.read(path), text, path)
})

test('rules from others, or for other servers, are unchanged', async t => {
  const mine = '{ "permissions": { "allow": ["mcp__memory"] } }'
  const home = harnessHome(t, {
    '.claude/settings.json': mine,
    '.claude.json': '{"mcpServers":{"memory":{"command":"npx","args":["-y","other"]}}}',
  })
  t.is((await home.run(['connect', '--json'])).json().harnesses[0].state, 'installed')
  await home.run(['connect', 'claude', '--allow-tools', '--yes'])
  const { permissions } = JSON.parse(home.read('.claude/settings.json'))
  t.deepEqual(permissions.allow, ['mcp__memory', 'mcp__memory-service'])
  home.write(
    '.claude/settings.json',
    home.read('.claude/settings.json').replace('"hooks"', '"x": 1, "hooks"'),
  )
  await home.run(['disconnect', 'claude', '--yes'])
  t.deepEqual(JSON.parse(home.read('.claude/settings.json')), { ...JSON.parse(mine), x: 1 })
})

test('trust in our Codex hooks is removed on request', async t => {
  const home = harnessHome(t, { '.codex/config.toml': 'model = "gpt"\n' })
  const connect = () => home.run(['connect', 'codex', '--yes'])
  const disconnect = (...flags: string[]) => home.run(['disconnect', 'codex', '--yes', ...flags])
  const trust = () => {
    const key = `${join(home.home, '.codex/hooks.json')}:stop:0:0`
    const told = `\n[hooks.state]\n\n[hooks.state."${key}"]\ntrusted_hash = "sha256:x"\n`
    home.write('.codex/config.toml', home.read('.codex/config.toml') + told)
    return told
  }
  await connect()
  const told = trust()
  const { stderr } = await disconnect()
  t.regex(
    stderr,
    /your trust in our hooks stays in its settings\. To remove it: memory disconnect codex --forget-trust/,
  )
  t.is(home.read('.codex/config.toml'), `model = "gpt"\n${told}`)

  home.write('.codex/config.toml', 'model = "gpt"\n')
  await connect()
  trust()
  t.regex((await disconnect('--forget-trust')).stdout, /^-trusted_hash = "sha256:x"$/m)
  t.is(home.read('.codex/config.toml'), 'model = "gpt"\n')
})

test('connecting only hooks creates no file for MCP servers', async t => {
  const home = harnessHome(t, { '.codex/x': '' })
  t.is((await home.run(['connect', 'codex', '--no-mcp', '--yes'])).code, 0)
  t.false(existsSync(join(home.home, '.codex/config.toml')))
})
