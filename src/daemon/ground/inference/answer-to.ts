import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { unusedProxy } from '../../../lib/network/unused-proxy.js'
import { isFault } from '../fetch/api-faults.js'
import {
  type ExchangeReply,
  type ExchangeRequest,
  exchange,
  jsonOf,
  urlWithoutQuery,
} from '../fetch/exchange.js'
import { estimatedTokens, usageOfCall } from './accounting.js'
import type { Adapter, ModelReply, ModelRequest } from './adapters.js'
import { InferenceFault, type InferenceFaultKind, type Question, type QuestionRecord } from './inference.js'

/** Ten times the longest answer requested, as models may write their reasoning first. */
const maxReplyBytes = 512 * 1024

/** Upper limit; the question's signal usually ends it sooner. */
const longestMs = 600_000
/** The request never reached a server, so nothing was charged. */
const neverArrived = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Address and protocol of a server. */
interface Server {
  adapter: Adapter
  url: URL
  agent: Dispatcher
}

/**
 * Sends one request to a model. Redirects are not followed: they would send texts to an unconfigured server.
 * @throws InferenceFault without any text from the server; the signal's reason when aborted
 */
async function askServer(
  { adapter, url, agent }: Server,
  request: ModelRequest,
  { key, signal }: { key: string | undefined; signal: AbortSignal },
): Promise<ModelReply> {
  const reply = await send(agent, {
    url,
    body: JSON.stringify(adapter.body(request)),
    headers: { accept: 'application/json', ...adapter.headers(key) },
    maxBytes: maxReplyBytes,
    signal,
    deadlineMs: longestMs,
  })
  if (reply.status >= 300) throw faultOf(reply)
  const read = adapter.read(await parsed(reply))
  if (read) return read
  throw new InferenceFault('malformed', `${urlWithoutQuery(url)} did not return a model reply`)
}

async function send(
  agent: Dispatcher,
  request: ExchangeRequest & { signal: AbortSignal },
): Promise<ExchangeReply> {
  try {
    return await exchange(agent, request)
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason
    const place = urlWithoutQuery(request.url)
    if (isFault(cause, 'too_large'))
      throw new InferenceFault('malformed', `${place} returned more than ${maxReplyBytes} bytes`)
    const code = codeOf(cause)
    throw new InferenceFault(
      'unreachable',
      `${place} can't be reached${code && `: ${code}`}${unusedProxy()}`,
      {
        isFree: neverArrived.includes(code),
      },
    )
  }
}

async function parsed(reply: ExchangeReply): Promise<unknown> {
  try {
    return await jsonOf(reply)
  } catch {
    throw new InferenceFault('malformed', `${urlWithoutQuery(reply.url)} did not return JSON`)
  }
}

/** Returns only system error codes: other words may come from the server. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && /^[A-Z_]+$/u.test(code)) return code
  }
  return ''
}

/** The error text is omitted: servers quote the key or the question in it. */
function faultOf({ url, status, headers }: ExchangeReply): InferenceFault {
  const place = urlWithoutQuery(url)
  const fault = (kind: InferenceFaultKind, message: string): InferenceFault =>
    new InferenceFault(kind, message, {
      isFree: true,
      retryAfterMs: Number(headers['retry-after']) * 1000 || undefined,
    })
  if (status < 400)
    return fault(
      'unreachable',
      `${place} answered ${status}, and redirects are not followed: check inference.baseUrl`,
    )
  if (status === 401 || status === 403)
    return fault('unauthorized', `${place} refused the key (${status}): check inference.apiKey`)
  if (status === 404)
    return fault('unknown_model', `${place} returned 404: check inference.model and inference.baseUrl`)
  const message = `${place} answered ${status}`
  if (status === 429) return fault('limited', message)
  return fault(status < 500 || status === 501 ? 'refused' : 'unreachable', message)
}

/** A server with the model, key and prices to use. */
export interface ModelServer extends Server {
  model: string
  key: string | undefined
  prices: Parameters<typeof usageOfCall>[2]
  /** True if the server enforces schemas; learned once per settings. */
  form: { kept: boolean }
}

interface AskOptions {
  entry: QuestionRecord
  signal: AbortSignal
}

/**
 * Asks a question and validates the answer. If the server rejects schemas, asks again with the schema in the
 * instructions and validates that answer the same way.
 * @throws InferenceFault; the signal's reason once that is aborted
 */
export async function answerTo<T>(
  server: ModelServer,
  question: Question<T>,
  asking: AskOptions,
): Promise<T> {
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
  server: ModelServer,
  request: ModelRequest,
  { entry, signal }: AskOptions,
): Promise<ModelReply> {
  const { key, prices } = server
  const form = request.form ? JSON.stringify(request.form.schema) : ''
  const input = `${request.instructions}\n${request.input}\n${form}`
  const reserved = estimatedTokens(input) + request.maxOutputTokens
  await entry.reserve(reserved)
  const started = performance.now()
  const afterThoughts = { reserved, isFree: false, spent: undefined }
  const durationMs = (): number => performance.now() - started
  try {
    const reply = await askServer(server, request, { key, signal })
    const spent = usageOfCall(reply.usage, { input, output: outputOf(reply) }, prices)
    entry.sent({ ...afterThoughts, outcome: 'ok', durationMs: durationMs(), spent })
    return reply
  } catch (error) {
    const outcome = error instanceof InferenceFault || !signal.aborted ? 'error' : 'cancelled'
    entry.sent({ ...afterThoughts, outcome, durationMs: durationMs(), isFree: isFree(error) })
    throw error
  }
}

/** An error status is never charged; a broken connection may have been charged in full. */
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
    ? new InferenceFault('cut', 'the answer exceeded the output limit')
    : new InferenceFault('malformed', 'the answer does not match the requested schema')
}

type JsonSchema = Record<string, unknown>

/** Schema keywords that servers reject; our own validation still applies them. */
const unenforced = new Set([
  ...['$schema', 'default', 'format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/**
 * Adapts a schema for structured output: closed objects, all fields required, choices as `anyOf`, no limits.
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

/** Describes the schema in words for servers without structured output. */
function formInWords(schema: JsonSchema): string {
  return `Answer with one JSON value of this JSON schema, and with nothing before or after it:\n${JSON.stringify(schema)}`
}

/** Finds the JSON value in a text: the whole text, or its code fence; models add words around it. */
function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?([\s\S]*?)```/u.exec(text)?.[1]
  // Reasoning models may write their thoughts before the answer.
  const afterThoughts = text.slice(text.lastIndexOf('</think>') + 1)
  const from = afterThoughts.indexOf('{')
  const to = afterThoughts.lastIndexOf('}')
  for (const candidate of [text, fenced, from < to ? afterThoughts.slice(from, to + 1) : undefined]) {
    if (candidate === undefined) continue
    try {
      return JSON.parse(candidate)
    } catch {}
  }
  return undefined
}
