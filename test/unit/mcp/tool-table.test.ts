import test from 'ava'
import { disabledAtFirst } from '../../../src/contract/ground/plugin-capabilities.js'
import { listedTools, offeredTools } from '../../../src/mcp/listed-tool.js'
import { toolSets } from '../../../src/mcp/tool-set.js'
import { answeredTools, toolsOf } from '../../../src/mcp/tool-table.js'

/** A token of JSON or English has about 4 bytes, within 15 % for tokenizers of large models. */
const bytesPerToken = 4
const ceilings = { core: 1500, standard: 4000, all: 4800 }
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

test('the standard tools use at most 2500 tokens where a client shows no output schemas', t => {
  const tools = offeredTools(listedTools('standard'), plugin => !disabledAtFirst.includes(plugin))
  const shown = tools.map(({ outputSchema: _left, ...rest }) => rest)
  const tokens = Buffer.byteLength(JSON.stringify(shown)) / bytesPerToken
  t.true(tokens <= 2500, `${Math.round(tokens)} tokens`)
})

/** Words of a schema in Gemini's function declarations (`Schema` of @google/genai). */
const geminiWords = new Set(
  (
    'anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems ' +
    'minLength minProperties minimum nullable pattern properties propertyOrdering required title type'
  ).split(' '),
)
/** Words of a schema that OpenAI takes with `strict: true`. */
const strictWords = new Set(
  (
    '$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum format items ' +
    'maxItems maximum minItems minimum multipleOf pattern properties required title type'
  ).split(' '),
)
/** Objects of any fields, which converters cannot describe. */
const freeObjects = ['memory_feedback.ratings', 'memory_store.structured', 'secret_exec.secrets']

interface Schema {
  type?: unknown
  enum?: readonly unknown[]
  required?: readonly string[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** Every schema below `schema`, with its path. */
function schemasIn(path: string, schema: Schema): [string, Schema][] {
  const { properties = {}, items } = schema
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, one]) => schemasIn(`${path}.${name}`, one)),
    ...(items ? schemasIn(`${path}[]`, items) : []),
  ]
}

const inputs = listedTools('all').flatMap(({ name, inputSchema }) => schemasIn(name, inputSchema as Schema))

for (const [whose, allowed] of Object.entries({ Gemini: geminiWords, 'OpenAI in strict mode': strictWords }))
  test(`${whose} knows every word of the input schemas`, t => {
    for (const [path, schema] of inputs)
      t.deepEqual(
        Object.keys(schema).filter(word => !allowed.has(word)),
        [],
        path,
      )
  })

test('each input has one type; lists have items, choices are texts, objects have fields', t => {
  const free: string[] = []
  for (const [path, { type, enum: choices, properties, required = [], items }] of inputs) {
    t.true(['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(String(type)), path)
    t.is(type === 'array', items !== undefined, path)
    if (choices) t.true(type === 'string' && choices.every(choice => typeof choice === 'string'), path)
    t.true(
      required.every(name => properties?.[name]),
      path,
    )
    if (type === 'object' && path.includes('.') && Object.keys(properties ?? {}).length === 0) free.push(path)
  }
  t.deepEqual(free.sort(), freeObjects)
})

test('tool names are unique, and every tool describes its use', t => {
  const tools = toolsOf('all')
  t.is(new Set(tools.map(({ name }) => name)).size, tools.length)
  for (const { name, description } of tools) {
    t.regex(name, /^[a-z_]{1,64}$/)
    t.true(description.length >= 40, name)
  }
})

test('the standard set answers tools that it leaves out', t => {
  const listed = new Set(toolsOf('standard').map(({ name }) => name))
  const left = toolsOf('all').filter(({ name }) => !listed.has(name))
  t.deepEqual(left.map(({ name }) => name).sort(), [
    'memory_about',
    'memory_history',
    'service_recall',
    'service_save_note',
    'session_list',
  ])
  t.deepEqual(answeredTools('standard'), toolsOf('all'))
  t.deepEqual(answeredTools('core'), toolsOf('core'))
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
    search_all: ['query'],
    memory_store: ['content'],
    memory_get: ['id'],
    memory_modify: ['id', 'reason'],
    memory_forget: ['id', 'reason'],
    memory_feedback: ['ratings'],
    memory_list: [],
    memory_history: ['id'],
    memory_recover: ['id', 'reason'],
    session_list: [],
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
    memory_about: ['name'],
    service_explain_claim: ['entity', 'aspect', 'group', 'claim'],
    service_recall: ['query'],
    service_save_note: ['content'],
    service_source_search: ['query'],
  })
})
