import test from 'ava'
import fc from 'fast-check'
import {
  addHooks,
  removeHooks,
  type WantedHook,
} from '../../../../../../src/cli/sessions/connect/entries/hook-entries.js'
import { readJson } from '../../../../../../src/cli/sessions/connect/entries/json-text.js'
import { addServer, removeServer } from '../../../../../../src/cli/sessions/connect/entries/mcp-entries.js'
import { MergeFault } from '../../../../../../src/cli/sessions/connect/entries/merge-fault.js'
import { isOwnHook, isOwnServer } from '../../../../../../src/cli/sessions/connect/entries/own-entries.js'

const isOwn = (handler: unknown) => isOwnHook(handler, 'claude-code')
const origin = 'http://127.0.0.1:3850'
const isMine = (server: unknown) => isOwnServer(server, [origin])

const command = (name: string, timeout = 7) => ({
  type: 'command',
  command: `memory hook ${name} -H claude-code`,
  timeout,
})
const wanted: WantedHook[] = [
  { event: 'SessionStart', matcher: 'startup|resume', handler: command('session-start') },
  { event: 'Stop', handler: command('checkpoint') },
]

const users = `{
  // how I like it
  "model": "opus",
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done" } ] }, // spoken
    ],
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [ { "type": "command", "command": "guard.sh", "timeout": 5 } ] }
    ]
  },
}
`

test('missing hooks are added after existing hooks', t => {
  const text = addHooks(users, 'grouped', wanted, isOwn)
  const { hooks } = readJson(text) as { hooks: Record<string, unknown[]> }
  t.deepEqual(hooks.Stop, [
    { hooks: [{ type: 'command', command: 'say done' }] },
    { hooks: [command('checkpoint')] },
  ])
  t.deepEqual(hooks.SessionStart, [{ matcher: 'startup|resume', hooks: [command('session-start')] }])
  t.deepEqual(hooks.PreToolUse?.length, 1)
  for (const line of users.split('\n')) t.true(text.includes(line.replace(/\]$/u, ']')), line)
})

test('connecting twice changes nothing', t => {
  const once = addHooks(users, 'grouped', wanted, isOwn)
  t.is(addHooks(once, 'grouped', wanted, isOwn), once)
})

test('removal restores every byte', t => {
  t.is(removeHooks(addHooks(users, 'grouped', wanted, isOwn), 'grouped', isOwn, users), users)
})

test('an outdated entry is updated in place, and fields added to it are kept', t => {
  const old = `{"hooks": {"Stop": [{"hooks": [
    {"type": "command", "command": "'/old/node' '/old/bin/run.js' hook checkpoint -H claude-code", "timeout": 7, "async": true},
    {"type": "command", "command": "say done"}]}]}}`
  const text = addHooks(old, 'grouped', [wanted[1]!], isOwn)
  t.is(text, old.replace("'/old/node' '/old/bin/run.js' hook", 'memory hook'))
})

test('the matcher of an own group is updated, that of a shared group is not', t => {
  const own = JSON.stringify({
    hooks: { SessionStart: [{ matcher: 'startup', hooks: [command('session-start')] }] },
  })
  t.is(addHooks(own, 'grouped', [wanted[0]!], isOwn), own.replace('"startup"', '"startup|resume"'))
  const shared = own.replace('"hooks":[', '"hooks":[{"type":"command","command":"mine"},')
  t.is(addHooks(shared, 'grouped', [wanted[0]!], isOwn), shared)
})

test('duplicate and obsolete own entries are removed', t => {
  const text = JSON.stringify({
    hooks: {
      Stop: [{ hooks: [command('checkpoint')] }, { hooks: [command('checkpoint'), { command: 'mine' }] }],
      SubagentStop: [{ hooks: [command('checkpoint')] }],
    },
  })
  t.deepEqual(readJson(addHooks(text, 'grouped', [wanted[1]!], isOwn)), {
    hooks: { Stop: [{ hooks: [command('checkpoint')] }, { hooks: [{ command: 'mine' }] }] },
  })
})

test('a command entry is replaced completely when it becomes an http entry', t => {
  const http = { type: 'http', url: `${origin}/api/hooks/harness/claude-code/checkpoint`, timeout: 10 }
  const text = addHooks('{}', 'grouped', [wanted[1]!], isOwn)
  const changed = addHooks(text, 'grouped', [{ event: 'Stop', handler: http }], isOwn)
  t.deepEqual(readJson(changed), { hooks: { Stop: [{ hooks: [http] }] } })
  t.is(removeHooks(changed, 'grouped', isOwn, '{}'), '{}')
})

test('arguments are replaced together with their program', t => {
  const old = { command: '/old/node', args: ['/old/bin/run.js', 'mcp'] }
  const value = { command: 'service-mcp', args: [] }
  const text = JSON.stringify({ mcpServers: { memory: old } })
  const changed = addServer(text, ['mcpServers'], { value, isOwn: server => isOwnServer(server, []) })
  t.deepEqual(readJson(changed).mcpServers, { memory: value })
})

test('required environment variables are merged with existing ones', t => {
  const text =
    '{ "mcpServers": { "memory": { "command": "service-mcp", "args": [], "timeout": 9, "env": { "A": "1" /* mine */ } } } }'
  const value = { command: 'service-mcp', args: [], env: { SERVICE_PORT: '$SERVICE_PORT' } }
  const isMine = (server: unknown) => isOwnServer(server, [])
  const changed = addServer(text, ['mcpServers'], { value, isOwn: isMine })
  t.deepEqual(readJson(changed).mcpServers, {
    memory: { ...value, timeout: 9, env: { A: '1', SERVICE_PORT: '$SERVICE_PORT' } },
  })
  t.true(changed.includes('/* mine */'))
  t.is(addServer(changed, ['mcpServers'], { value, isOwn: isMine }), changed)
  const without = { command: 'service-mcp', args: [] }
  t.is(addServer(changed, ['mcpServers'], { value: without, isOwn: isMine }), changed)
})

test('hooks of an unexpected shape are refused', t => {
  t.like(
    t.throws(() => addHooks('{\n"hooks": []}', 'grouped', wanted, isOwn), { instanceOf: MergeFault }),
    { line: 2 },
  )
  t.throws(() => addHooks('{"hooks": {"Stop": {}}}', 'grouped', wanted, isOwn), { message: /must be a list/ })
})

test('empty lists of the user are kept, own ones are removed', t => {
  const text = '{"hooks": {"Stop": []}}'
  t.is(removeHooks(addHooks(text, 'grouped', wanted, isOwn), 'grouped', isOwn, text), text)
  t.is(removeHooks(addHooks('{"a":1}', 'grouped', wanted, isOwn), 'grouped', isOwn), '{"a":1}')
})

test('own entries are recognised by command and harness, not by a word', t => {
  t.true(isOwn({ command: 'memory hook session-start -H claude-code' }))
  t.true(
    isOwn({
      command:
        '"C:/Program Files/nodejs/node.exe" "C:/x/bin/run.js" hook session-start --harness=claude-code',
    }),
  )
  t.true(isOwn({ command: 'memory hook checkpoint -H claude-code --workspace /w' }))
  t.true(isOwn({ url: 'http://127.0.0.1:4000/api/hooks/harness/claude-code/checkpoint' }))
  t.false(isOwn({ command: 'memory hook session-start -H codex' }))
  t.false(isOwn({ command: 'my-memory hook session-start -H claude-code' }))
  t.false(isOwn({ command: 'echo memory hooks are great' }))
  t.false(isOwn({ url: 'http://127.0.0.1:4000/hooks' }))
  t.false(isOwn(null))
})

test('own servers are recognised by program or address', t => {
  t.true(isMine({ command: 'service-mcp', args: ['--tools', 'core'] }))
  t.true(isMine({ command: ['/usr/bin/node', '/x/bin/run.js', 'mcp'] }))
  t.true(isMine({ command: 'C:\\npm\\memory.cmd', args: ['mcp'] }))
  t.true(isMine({ url: 'http://localhost:3850/mcp' }))
  t.false(isMine({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] }))
  t.false(isMine({ command: 'memory', args: ['serve'] }))
  t.false(isMine({ url: 'http://127.0.0.1:9000/mcp' }))
})

test('another server called memory keeps its name', t => {
  const value = { command: 'service-mcp', args: [] as string[] }
  const text = '{\n  "mcpServers": {\n    "memory": { "command": "npx" }\n  }\n}\n'
  const changed = addServer(text, ['mcpServers'], { value, isOwn: isMine })
  t.deepEqual(readJson(changed), { mcpServers: { memory: { command: 'npx' }, 'memory-service': value } })
  t.is(addServer(changed, ['mcpServers'], { value, isOwn: isMine }), changed)
  t.is(removeServer(changed, ['mcpServers'], isMine, text), text)
  const full = '{"mcpServers": {"memory": {}, "memory-service": {}}}'
  t.throws(() => addServer(full, ['mcpServers'], { value, isOwn: isMine }), { instanceOf: MergeFault })
})

const handler = fc.record({ type: fc.constant('command'), command: fc.stringMatching(/^[a-z ./-]{1,20}$/u) })
const group = fc.record({
  matcher: fc.option(fc.string(), { nil: undefined }),
  hooks: fc.array(handler, { maxLength: 3 }),
})
const events = fc.constantFrom('SessionStart', 'Stop', 'PreToolUse', 'Notification')
const settings = fc.record(
  {
    model: fc.string(),
    hooks: fc.dictionary(events, fc.array(group, { maxLength: 3 }), { maxKeys: 4 }),
    mcpServers: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/u), fc.record({ command: fc.constant('npx') })),
    permissions: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const indents = fc.constantFrom<number | string>(0, 2, 4, '\t')

test('connecting and disconnecting restores every byte, and both entries coexist in between', t => {
  const server = { value: { command: 'service-mcp', args: ['x'] }, isOwn: isMine }
  fc.assert(
    fc.property(settings, indents, fc.constantFrom('\n', '\r\n'), (value, indent, newline) => {
      const text = JSON.stringify(value, null, indent).replaceAll('\n', newline)
      const connected = addServer(addHooks(text, 'grouped', wanted, isOwn), ['mcpServers'], server)
      t.is(addServer(addHooks(connected, 'grouped', wanted, isOwn), ['mcpServers'], server), connected)
      const { hooks } = readJson(connected) as { hooks: Record<string, unknown[]> }
      for (const [event, list] of Object.entries(value.hooks ?? {}))
        t.deepEqual(hooks[event]?.slice(0, list.length), JSON.parse(JSON.stringify(list)))
      const removed = removeServer(connected, ['mcpServers'], isMine, text)
      t.is(removeHooks(removed, 'grouped', isOwn, text), text)
    }),
    { numRuns: 300 },
  )
})
