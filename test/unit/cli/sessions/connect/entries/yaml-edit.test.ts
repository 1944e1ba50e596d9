import test from 'ava'
import { MergeFault } from '../../../../../../src/cli/sessions/connect/entries/merge-fault.js'
import { loadYaml, readYaml } from '../../../../../../src/cli/sessions/connect/entries/yaml-edit.js'
import {
  yamlHooksEdit,
  yamlServerEdit,
} from '../../../../../../src/cli/sessions/connect/entries/yaml-entries.js'

const command = 'memory hook user-prompt-submit -H hermes-agent'
const hooks = yamlHooksEdit({
  file: 'config.yaml',
  harness: 'hermes-agent',
  wanted: [{ event: 'pre_llm_call', command, timeout: 7 }],
})
const server = yamlServerEdit({
  file: 'config.yaml',
  section: ['mcp_servers'],
  value: { command: 'service-mcp', args: [] },
  install: { ownOrigins: [] },
})

/** Files as people write them, each with what is odd about it. */
const files: Readonly<Record<string, string>> = {
  'an empty file': '',
  'only comments': '# mine\n',
  'other fields': 'model: m # fast\n\n# the end\n',
  'an empty value': 'hooks:\nmodel: m\n',
  'an empty inline value': 'hooks: {} # none yet\nmodel: m\n',
  'an empty inline list': 'hooks:\n  pre_llm_call: [] # none\nmodel: m\n',
  'hooks of others':
    'hooks:\n  pre_llm_call:\n    - command: say # loud\n      timeout: 3\n  # more\nmodel: m\n',
  'a list without indent':
    'hooks:\n    pre_llm_call:\n    - command: say\n    post_llm_call:\n    - command: x\n',
  'a text over several lines': 'hooks:\n  post_llm_call:\n  - command: |\n      say\n      done\nmodel: m\n',
  'another server': 'mcp_servers:\n  docs:\n    url: https://d/mcp\n    headers: { a: b }\n',
  'Windows line ends': 'model: m\r\nhooks:\r\n  pre_llm_call:\r\n    - command: say\r\n',
  'no last line end': 'model: m\nmcp_servers:\n  docs:\n    url: https://d/mcp',
  'a document mark': '---\nmodel: m\n',
}

for (const [what, text] of Object.entries(files))
  test(`a hook and a server are added and removed byte for byte: ${what}`, async t => {
    await loadYaml()
    const added = server.add(hooks.add(text))
    const { hooks: events, mcp_servers } = readYaml(added) as {
      hooks: { pre_llm_call: unknown[] }
      mcp_servers: Record<string, unknown>
    }
    t.deepEqual(events.pre_llm_call.at(-1), { command, timeout: 7 })
    t.deepEqual(mcp_servers.memory, { command: 'service-mcp', args: [] })
    t.is(server.add(hooks.add(added)), added)
    t.is(hooks.remove(server.remove(added, text) ?? '', text), text)
  })

test('an outdated hook is replaced, and comments and keys of the user are kept', async t => {
  await loadYaml()
  const old =
    'hooks:\n  pre_llm_call:\n    - command: say\n    - command: /old/memory hook user-prompt-submit -H hermes-agent\n'
  t.deepEqual((readYaml(hooks.add(old)).hooks as Record<string, unknown>).pre_llm_call, [
    { command: 'say' },
    { command, timeout: 7 },
  ])
  const known = 'mcp_servers:\n  memory:\n    command: service-mcp\n    args: [old]\n    lazy: true\n'
  t.like((readYaml(server.add(known)).mcp_servers as Record<string, unknown>).memory, { lazy: true })
})

test('a place that is written inline is refused, and so is a file that does not parse', async t => {
  await loadYaml()
  t.throws(() => hooks.add('hooks: { pre_llm_call: [{ command: say }] }\n'), { instanceOf: MergeFault })
  t.throws(() => hooks.add('hooks: [\n'), { instanceOf: MergeFault })
  t.throws(() => server.add('a: 1\n---\nb: 2\n'), { instanceOf: MergeFault })
  t.throws(() => server.add('- a list\n'), { instanceOf: MergeFault })
})

test('a name that the client keeps for itself is not used, and an entry with it is renamed', async t => {
  await loadYaml()
  const value = { command: 'service-mcp', args: [] }
  const other = yamlServerEdit({
    file: 'config.yaml',
    section: ['mcp_servers'],
    value,
    install: { ownOrigins: [] },
    unusable: ['memory'],
  })
  const renamed = { 'memory-service': value }
  t.deepEqual(readYaml(other.add('model: m\n')).mcp_servers, renamed)
  const again = other.add(server.add('model: m\n'))
  t.deepEqual(readYaml(again).mcp_servers, renamed)
  t.is(other.add(again), again)
})

test('a command stays on one line, whatever the length of its paths', async t => {
  await loadYaml()
  for (let length = 1; length <= 120; length++) {
    const long = `/${'n'.repeat(length)}/node /opt/run.js hook tool-use -H hermes-agent --workspace /home/ann/w`
    const edit = yamlHooksEdit({
      file: 'config.yaml',
      harness: 'hermes-agent',
      wanted: [{ event: 'post_tool_call', command: long, timeout: 3 }],
    })
    t.true(edit.add('hooks: {}\n').includes(`command: ${long}\n`), `${length}`)
  }
})
