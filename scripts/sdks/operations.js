/**
 * Operations with a method of their own in the SDKs. `named` are arguments that the method takes by name or
 * sets itself, so the generated options leave them out. `repeats` marks requests that may be sent twice.
 */
export const operations = [
  {
    name: 'Remember',
    address: 'POST /api/memory/remember',
    named: ['content', 'idempotencyKey'],
    repeats: true,
  },
  { name: 'Recall', address: 'POST /api/memory/recall', named: ['query'], repeats: true },
  { name: 'Search', address: 'POST /api/search', named: ['query', 'offset'], repeats: true },
  { name: 'GetMemory', address: 'GET /api/memory/{id}' },
  { name: 'ListMemories', address: 'GET /api/memories', named: ['offset'] },
  { name: 'ModifyMemory', address: 'PATCH /api/memory/{id}' },
  { name: 'ForgetMemory', address: 'DELETE /api/memory/{id}' },
  { name: 'RecoverMemory', address: 'POST /api/memory/{id}/recover' },
  { name: 'MemoryHistory', address: 'GET /api/memory/{id}/history' },
  { name: 'RateMemory', address: 'POST /api/memory/{id}/judgement' },
  { name: 'FollowMemories', address: 'GET /api/memories/stream' },
  { name: 'ExportMemories', address: 'GET /api/export' },
  { name: 'StartSession', address: 'POST /api/hooks/session-start', named: ['harness', 'sessionKey'] },
  {
    name: 'PromptSession',
    address: 'POST /api/hooks/user-prompt-submit',
    named: ['harness', 'sessionKey', 'userMessage', 'userPrompt'],
  },
  { name: 'EndSession', address: 'POST /api/hooks/session-end', named: ['harness', 'sessionKey'] },
  { name: 'ListSessions', address: 'GET /api/sessions' },
  { name: 'SearchSessions', address: 'POST /api/sessions/search', named: ['query'], repeats: true },
  { name: 'SessionTurns', address: 'GET /api/sessions/{key}/turns' },
  { name: 'AddDocument', address: 'POST /api/documents', named: ['source_type'] },
  { name: 'ListDocuments', address: 'GET /api/documents', named: ['offset'] },
  { name: 'GetDocument', address: 'GET /api/documents/{id}' },
  { name: 'DocumentPassages', address: 'GET /api/documents/{id}/chunks' },
  { name: 'RemoveDocument', address: 'DELETE /api/documents/{id}' },
  { name: 'Status', address: 'GET /api/status' },
]

/** The second spelling of a field, which older clients use. */
export const isOldSpelling = (name, fields) => name === 'agent_id' && 'agentId' in fields

/** @returns the operation's parts: fields of its address, query and body, and the schema of its reply. */
export function operationOf(document, address) {
  const [method, path] = address.split(' ')
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`openapi.json has no ${address}`)
  const parameters = place =>
    operation.parameters
      .filter(parameter => parameter.in === place)
      .filter(({ name }, _index, all) => name !== 'agent_id' || !all.some(other => other.name === 'agentId'))
  const [success] = Object.keys(operation.responses)
    .filter(status => status.startsWith('2'))
    .sort()
  const reply = operation.responses[success]
  const [contentType, content] = Object.entries(reply.content)[0]
  return {
    address,
    method,
    path,
    summary: operation.summary,
    params: parameters('path'),
    query: parameters('query').map(({ schema, ...rest }) => ({ ...rest, schema: queryValue(schema) })),
    headers: parameters('header'),
    body: operation.requestBody?.content['application/json'] && {
      required: operation.requestBody.required,
      schema: operation.requestBody.content['application/json'].schema,
    },
    contentType,
    reply: content.schema,
  }
}

/** Every address of the document, in its order. */
export function addressesOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
}

/** Query values are texts on the wire; callers give numbers and booleans. */
function queryValue(schema) {
  if (schema.enum?.includes('true')) return { type: 'boolean' }
  if (schema.pattern?.includes('\\d')) return { type: 'number' }
  return schema
}

/** A schema of no shape, which both languages write as their widest type. */
export const isOpen = schema => Object.keys(schema).every(key => ['default', 'description'].includes(key))

/** `type: ["string", "null"]` as the schemas that it stands for. */
export function alternatives(schema) {
  const listed = schema.anyOf ?? schema.oneOf
  if (listed) return listed.flatMap(alternatives)
  if (Array.isArray(schema.type)) return schema.type.map(type => ({ ...schema, type }))
  return [schema]
}
