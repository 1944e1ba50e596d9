import test from 'ava'
import fc from 'fast-check'
import { MergeFault } from '../../../../../../src/cli/sessions/connect/entries/merge-fault.js'
import { isOwnServer } from '../../../../../../src/cli/sessions/connect/entries/own-entries.js'
import {
  addTomlServer,
  removeTomlServer,
} from '../../../../../../src/cli/sessions/connect/entries/toml-entries.js'
import { readToml } from '../../../../../../src/cli/sessions/connect/entries/toml-tables.js'

const isOwn = (server: unknown) => isOwnServer(server, ['http://127.0.0.1:3850'])
const server = { value: { command: 'service-mcp', args: [] as string[] }, isOwn }
const table = '[mcp_servers.memory]\ncommand = "service-mcp"\nargs = []\n'

const realistic = `# my settings
model = "gpt-5.2"
notify = ["terminal-notifier", '-title', "Codex"]

[tui]
theme = "dark" # at night

[mcp_servers.docs]
command = "npx"
args = [
  "-y",
  "docs-mcp",
]
env = { TOKEN = "x", REGION = "eu" }

[[hooks.SessionStart]]
matcher = "startup"
[[hooks.SessionStart.hooks]]
type = "command"
command = """
echo '[mcp_servers.memory]'
"""

[projects."/home/ann/shop"]
trust_level = "trusted"
since = 2026-01-01T00:00:00Z
`

test('the table is appended, and every byte before it is kept', t => {
  t.is(addTomlServer(realistic, server), `${realistic}\n${table}`)
  t.is(addTomlServer('', server), table)
  t.is(addTomlServer('a = 1', server), `a = 1\n\n${table}`)
  t.is(addTomlServer('a = 1\r\n', server), `a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`)
})

test('adding the same server twice changes nothing, and fields added to it are kept', t => {
  const once = addTomlServer(realistic, server)
  t.is(addTomlServer(once, server), once)
  const extended = once.replace('args = []', 'args = ["--tools", "core"]\nstartup_timeout_sec = 20')
  t.is(addTomlServer(extended, server), extended)
})

test('variable names are merged with the existing ones', t => {
  const wanted = { ...server, value: { ...server.value, env_vars: ['SERVICE_PORT', 'SERVICE_API_KEY'] } }
  const mine = `${table.replace('args = []', 'args = ["--tools", "core"]')}env_vars = ["MINE", { name = "SERVICE_PORT", source = "local" }]\n`
  const once = addTomlServer(mine, wanted)
  t.is(
    once,
    '[mcp_servers.memory]\ncommand = "service-mcp"\nargs = ["--tools", "core"]\n' +
      'env_vars = ["MINE", { name = "SERVICE_PORT", source = "local" }, "SERVICE_API_KEY"]\n',
  )
  t.is(addTomlServer(once, wanted), once)
  t.is(addTomlServer(once, server), once)
})

test('an outdated server is updated in place', t => {
  const old = `a = 1\n\n[mcp_servers.memory]\ncommand = "/old/node"\nargs = [\n  "/old/bin/run.js", # here\n  "mcp",\n]\nenabled = false\n\n[b]\nc = 2\n`
  t.is(
    addTomlServer(old, server),
    'a = 1\n\n[mcp_servers.memory]\ncommand = "service-mcp"\nargs = []\nenabled = false\n\n[b]\nc = 2\n',
  )
})

test('another server called memory keeps its name and bytes', t => {
  const text = '[mcp_servers.memory]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-memory"]\n'
  t.is(addTomlServer(text, server), `${text}\n${table.replace('.memory]', '.memory-service]')}`)
  t.is(removeTomlServer(text, isOwn), text)
})

test('removal deletes the tables of the server and keeps other comments', t => {
  const text = `a = 1\n\n${table}[mcp_servers.memory.env]\nX = "1"\n\n# of b\n[b]\nc = 2\n`
  t.is(removeTomlServer(text, isOwn), 'a = 1\n\n# of b\n[b]\nc = 2\n')
})

test('servers written inline are refused instead of guessed', t => {
  const text = 'mcp_servers = { docs = { command = "npx" } }\n'
  t.throws(() => addTomlServer(text, server), {
    instanceOf: MergeFault,
    message: /in a form that does not allow a table/,
  })
  const own = 'mcp_servers = { memory = { command = "service-mcp" } }\n'
  t.is(addTomlServer(own, server), own)
  t.throws(() => removeTomlServer(own, isOwn), { instanceOf: MergeFault })
})

test('invalid TOML is refused with its line', t => {
  t.like(
    t.throws(() => addTomlServer('a = 1\nb = \n', server), { instanceOf: MergeFault }),
    { line: 2 },
  )
})

const tables = fc.array(
  fc.record({
    name: fc.stringMatching(/^[a-z]{1,5}$/u),
    value: fc.oneof(fc.integer(), fc.boolean(), fc.string()),
    comment: fc.boolean(),
  }),
  { maxLength: 4 },
)

test('an added server is valid and can be removed byte for byte', t => {
  fc.assert(
    fc.property(tables, fc.constantFrom('\n', '\r\n'), fc.boolean(), (parts, newline, ends) => {
      const text = parts
        .map(({ name, value, comment }, index) =>
          [comment ? '# here' : '', `[${name}.t${index}]`, `v = ${JSON.stringify(value)}`].join(newline),
        )
        .join(newline)
      const file = ends && text !== '' ? text + newline : text
      const changed = addTomlServer(file, server)
      t.deepEqual(
        { ...(readToml(changed).mcp_servers as object) },
        { memory: { command: 'service-mcp', args: [] } },
      )
      t.is(removeTomlServer(changed, isOwn, file), file)
    }),
    { numRuns: 200 },
  )
})
