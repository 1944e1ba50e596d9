import { z } from 'zod'
import { estimatedTokens, spentOn } from './accounting.js'
import type { ModelReply, ModelRequest } from './adapter.js'
import { askServer, type Server } from './ask-server.js'
import { type Entry, InferenceFault, type Question } from './inference.js'

/** A server with what is asked of it and by whom. */
export interface AskedServer extends Server {
  model: string
  key: string | undefined
  prices: Parameters<typeof spentOn>[2]
  /** Whether it keeps to forms of answers; learned once, for as long as the settings stay. */
  form: { kept: boolean }
}

interface Asking {
  entry: Entry
  signal: AbortSignal
}

/**
 * The answer to a question, in the form that was asked for. A server that refuses to keep to forms is asked once more, in
 * words; what it answers then is checked the same way.
 * @throws InferenceFault; the signal's reason once that is aborted
 */
export async function answerTo<T>(server: AskedServer, question: Question<T>, asking: Asking): Promise<T> {
  const schema = enforceableSchema(question.schema)
  const { instructions, input, maxOutputTokens, name } = question
  const request = { model: server.model, instructions, input, maxOutputTokens, form: { name, schema } }
  const inWords = {
    ...request,
    instructions: `${instructions}\n\n${formInWords(schema)}`,
    form: undefined,
  }
  if (!server.form.kept) return checked(question, await ask(server, inWords, asking))
  try {
    return checked(question, await ask(server, request, asking))
  } catch (error) {
    if (!(error instanceof InferenceFault) || error.kind !== 'refused') throw error
  }
  asking.entry.fellBack()
  const reply = await ask(server, inWords, asking)
  server.form.kept = false
  return checked(question, reply)
}

async function ask(
  server: AskedServer,
  request: ModelRequest,
  { entry, signal }: Asking,
): Promise<ModelReply> {
  const { key, prices } = server
  const form = request.form ? JSON.stringify(request.form.schema) : ''
  const input = `${request.instructions}\n${request.input}\n${form}`
  const reserved = estimatedTokens(input) + request.maxOutputTokens
  await entry.reserve(reserved)
  const started = performance.now()
  const told = { reserved, isFree: false, spent: undefined }
  const durationMs = (): number => performance.now() - started
  try {
    const reply = await askServer(server, request, { key, signal })
    const spent = spentOn(reply.usage, { input, output: outputOf(reply) }, prices)
    entry.sent({ ...told, outcome: 'ok', durationMs: durationMs(), spent })
    return reply
  } catch (error) {
    const outcome = error instanceof InferenceFault || !signal.aborted ? 'error' : 'cancelled'
    entry.sent({ ...told, outcome, durationMs: durationMs(), isFree: isFree(error) })
    throw error
  }
}

/** A status in place of an answer costs nothing anywhere; a connection that broke may have cost everything. */
function isFree(error: unknown): boolean {
  return error instanceof InferenceFault && error.isFree
}

function outputOf({ text, value }: ModelReply): string {
  return value === undefined ? text : JSON.stringify(value)
}

function checked<T>({ schema }: Question<T>, { value, text, end }: ModelReply): T {
  if (end === 'declined') throw new InferenceFault('declined', 'the model declined to answer')
  const parsed = schema.safeParse(value ?? jsonIn(text))
  if (parsed.success) return parsed.data
  throw end === 'cut'
    ? new InferenceFault('cut', 'the answer was longer than the model may answer')
    : new InferenceFault('malformed', 'the answer has not the form that was asked for')
}

type JsonSchema = Record<string, unknown>

/** Keywords that servers refuse in schemas they keep to; our own check of the answer knows them all the same. */
const unenforced = new Set([
  ...['$schema', 'default', 'format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/**
 * A schema as servers with structured output take it: objects are closed and all of their fields required, choices are
 * `anyOf`, and limits are left to the check of the answer.
 */
function enforceableSchema(schema: z.ZodType): JsonSchema {
  return enforceable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as JsonSchema
}

function enforceable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enforceable)
  if (typeof value !== 'object' || value === null) return value
  const { properties, oneOf, ...others } = value as JsonSchema
  const rest = Object.fromEntries(
    Object.entries(others)
      .filter(([keyword]) => !unenforced.has(keyword))
      .map(([keyword, inner]) => [keyword, enforceable(inner)]),
  )
  return {
    ...rest,
    ...(oneOf !== undefined && { anyOf: enforceable(oneOf) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonSchema).map(([name, inner]) => [name, enforceable(inner)]),
      ),
      required: Object.keys(properties as JsonSchema),
      additionalProperties: false,
    }),
  }
}

/** The same form in words, for servers that keep to none. */
function formInWords(schema: JsonSchema): string {
  return `Answer with one JSON value of this JSON schema, and with nothing before or after it:\n${JSON.stringify(schema)}`
}

/** Finds the JSON value in a text: the whole text, or its code fence; models add words around it. */
function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*\n?([\s\S]*?)```/u.exec(text)?.[1]
  // Models that think aloud do so before their answer.
  const told = text.slice(text.lastIndexOf('</think>') + 1)
  const from = told.indexOf('{')
  const to = told.lastIndexOf('}')
  for (const candidate of [text, fenced, from < to ? told.slice(from, to + 1) : undefined]) {
    if (candidate === undefined) continue
    try {
      return JSON.parse(candidate)
    } catch {}
  }
  return undefined
}
