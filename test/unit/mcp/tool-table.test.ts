import test from 'ava'
import { disabledAtFirst } from '../../../src/contract/ground/plugin-capabilities.js'
import { listedTools, offeredTools } from '../../../src/mcp/listed-tool.js'
import { toolSets } from '../../../src/mcp/tool-set.js'
import { toolsOf } from '../../../src/mcp/tool-table.js'

/** A token of JSON or English has about 4 bytes, within 15 % for tokenizers of large models. */
const bytesPerToken = 4
const ceilings = { core: 2000, all: 5650 }
/** Limit for the code index, which is disabled by default. */
const codeCeiling = 1200

test('the tools of the code index use few tokens (code-index.md 12)', t => {
  const tools = listedTools('all').filter(({ plugin }) => plugin === 'service.codeindex')
  const tokens = Buffer.byteLength(JSON.stringify(tools)) / bytesPerToken
  t.log(`${tools.length} tools: ${Math.round(tokens)} tokens`)
  t.true(tokens <= codeCeiling, `${Math.round(tokens)} tokens`)
})

for (const set of toolSets)
  test(`the ${set} tools use at most ${ceilings[set]} tokens of a conversation`, t => {
    const tools = offeredTools(listedTools(set), plugin => !disabledAtFirst.includes(plugin))
    const tokens = Buffer.byteLength(JSON.stringify(tools)) / bytesPerToken
    t.log(`${set}: ${Math.round(tokens)} tokens`)
    t.true(tokens <= ceilings[set], `${Math.round(tokens)} tokens`)
  })

test('tool names are unique, and every tool describes its use', t => {
  const tools = toolsOf('all')
  t.is(new Set(tools.map(({ name }) => name)).size, tools.length)
  for (const { name, description } of tools) {
    t.regex(name, /^[a-z_]{1,64}$/)
    t.true(description.length >= 40, name)
  }
})

test('schemas are plain JSON Schema objects without redundant fields', t => {
  for (const { name, inputSchema, outputSchema } of listedTools('all')) {
    for (const schema of [inputSchema, outputSchema]) {
      t.is(schema.type, 'object', name)
      t.notRegex(JSON.stringify(schema), /\$schema|9007199254740991|"additionalProperties":\{\}/, name)
    }
  }
})

test('a field with a default is optional (mcp.md 4.9)', t => {
  const required = Object.fromEntries(
    listedTools('all').map(({ name, inputSchema }) => [name, inputSchema.required ?? []]),
  )
  t.deepEqual(required, {
    memory_search: ['query'],
    memory_store: ['content', 'hints'],
    memory_get: ['id'],
    memory_modify: ['id', 'reason'],
    memory_forget: ['id', 'reason'],
    memory_feedback: ['session_key', 'ratings'],
    memory_list: [],
    memory_history: ['id'],
    memory_recover: ['id', 'reason'],
    session_search: ['query'],
    session_bypass: ['session_key', 'enabled'],
    agent_presence: [],
    agent_message_send: ['content'],
    agent_message_inbox: [],
    agent_message_ack: ['message_id'],
    secret_list: [],
    secret_exec: ['command', 'secrets'],
    secret_exec_status: ['jobId'],
    service_code_blast: ['symbol'],
    service_code_briefing: [],
    service_code_clear: [],
    service_code_constants: [],
    service_code_context: ['symbol'],
    service_code_doctor: [],
    service_code_search: ['query'],
    service_code_status: [],
    service_explain_claim: ['entity', 'aspect', 'group', 'claim'],
    service_recall: ['query'],
    service_save_note: ['content'],
    service_source_search: ['query'],
  })
})
