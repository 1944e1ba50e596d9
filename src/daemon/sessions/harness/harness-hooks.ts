import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { AppError, type ErrorCode } from '../../../contract/ground/errors.js'
import { credentialTrace } from '../../../contract/platform/credential.js'
import { harnessHook, type SpooledHook } from '../../../contract/sessions/harness-hook.js'
import {
  dialectHarnesses,
  durableHooks,
  findHarnessHook,
  type HarnessHook,
  harnessHooks,
  hookNoteHeader,
  isDialectHarness,
} from '../../../contract/sessions/harness-names.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { isOnThisMachine, peerOf } from '../../platform/auth/loopback.js'
import { askSelf, clientOf } from '../../platform/daemon/ask-self.js'
import type { Domain } from '../../platform/domain.js'
import type { WhenReady } from '../../platform/http/bind.js'
import { answerAppError, toAppError } from '../../platform/http/errors.js'
import { type Dialect, dialectOf } from './dialects.js'
import { createEventDeduplicator } from './event-deduplicator.js'
import { createHookSpool, spoolFailedHook, type UnwrittenHooks } from './hook-spool.js'
import { type HookAnswer, orNothing, type RelayDeps, relayHook } from './relay-hook.js'
import { createSessionFiles, type SessionFiles } from './session-files.js'
import {
  createPendingStarts,
  createSessionStarts,
  createToldClocks,
  type PendingStarts,
  promptsOf,
} from './session-starts.js'

export interface HarnessHooksOptions {
  log: Logger
  paths: WorkspacePaths
  clock: () => Date
  environment: NodeJS.ProcessEnv
}

/** Serves hooks in the formats of harnesses, including those queued while no daemon was running. */
export function createHarnessHooks({ log, paths, clock, environment }: HarnessHooksOptions): Domain & {
  register(app: FastifyInstance, whenReady: WhenReady): void
} {
  const relays = { files: createSessionFiles({ log, paths, environment }), heard: createEventDeduplicator() }
  const held: UnwrittenHooks = new Map()
  return {
    register: (app, whenReady) =>
      registerHarnessHooks(app, {
        log,
        clock,
        ...relays,
        promptsOf: async key => promptsOf(await whenReady(), key),
        keep: hook => spoolFailedHook({ paths, log, newId: () => uuidv7(), held }, hook),
      }),
    workers: [daemon => createHookSpool(daemon, { askAs: daemon.askAs, held, ...relays })],
  }
}

export interface HarnessHookOptions extends Pick<RelayDeps, 'log' | 'heard'> {
  clock: () => Date
  files: SessionFiles
  /** Number of recorded prompts of a session; undefined for an unknown one. */
  promptsOf(sessionKey: string): Promise<number | undefined>
  /** Queues a hook that the daemon could not process, for later delivery. */
  keep(hook: SpooledHook): void
}

/**
 * Registers the route for hooks in harness formats (rules.md 4.10), used by `memory hook` and by harnesses
 * that call HTTP themselves. The reply is 200 with an empty body unless there is something to show.
 */
function registerHarnessHooks(app: FastifyInstance, options: HarnessHookOptions): void {
  const { log, clock, files, heard, promptsOf, keep } = options
  const starts = createSessionStarts(() => clock().getTime())
  const owed = createPendingStarts(promptsOf)
  const clocks = createToldClocks()
  app.route({
    method: harnessHook.method,
    url: harnessHook.path,
    config: { endpoint: harnessHook },
    errorHandler: answerFault,
    handler: async (request, reply) => {
      const { dialect, hook } = targetOf(request)
      const { body: input } = request
      const isHere = isOnThisMachine(peerOf(request))
      const ask = askSelf(app, clientOf(request))
      const deps = { ask, log, heard, starts, owed, clocks, files: isHere ? files : undefined }
      const time = clock().toISOString()
      const sender = { harness: dialect.harness, hook, time, ...senderOf(request, isHere) }
      const serve = async (): Promise<HookAnswer> => {
        const answer = await relayHook(deps, { dialect, hook, input })
        if (answer.outcome === 'later' && durableHooks.has(hook))
          keep({ ...sender, input: JSON.stringify(input) })
        if (answer.starts !== undefined) oweIfUnread(reply, owed, answer.starts)
        return answer
      }
      const answer = isShown(dialect, hook) ? await serve() : inBackground(serve, log)
      return send(reply, orNothing(dialect, answer))
    },
  })
}

/** A hook that gave up waiting never reads its answer; the daemon notices by the closed connection. */
function oweIfUnread({ raw }: FastifyReply, owed: PendingStarts, sessionKey: string): void {
  const check = (): void => {
    if (!raw.writableFinished) owed.owe(sessionKey, { source: 'clear' })
  }
  if (raw.destroyed) check()
  else raw.once('close', check)
}

/** A checkpoint reads the whole conversation, and its reply is not shown, so it runs in the background. */
function isShown(dialect: Dialect, hook: HarnessHook): boolean {
  return hook !== 'session-checkpoint-extract' || !(hook in dialect.events)
}

function inBackground(serve: () => Promise<HookAnswer>, log: RelayDeps['log']): Omit<HookAnswer, 'outcome'> {
  serve().catch(error => log.warn({ err: error }, 'checkpoint failed'))
  return { text: '', type: 'text' }
}

/** Fields of a request that the queue stores. */
function senderOf(
  { headers }: FastifyRequest,
  isHere: boolean,
): Pick<SpooledHook, 'agent' | 'credential' | 'elsewhere'> {
  const agent = headers['x-service-agent-id']
  const { authorization } = headers
  return {
    ...(agent !== undefined && { agent: Buffer.from(String(agent), 'latin1').toString('utf8') }),
    ...(authorization !== undefined && {
      credential: credentialTrace(authorization.replace(/^Bearer +/iu, '')),
    }),
    ...(!isHere && { elsewhere: true }),
  }
}

/** @throws AppError `not_found` for an unknown harness or hook. */
function targetOf({ params }: FastifyRequest): { dialect: Dialect; hook: HarnessHook } {
  const { harness, hook: name } = params as { harness: string; hook: string }
  const hook = findHarnessHook(name)
  if (!isDialectHarness(harness)) throw unknown('harness', harness, dialectHarnesses)
  if (!hook) throw unknown('hook', name, harnessHooks)
  return { dialect: dialectOf(harness), hook }
}

function unknown(what: string, given: string, known: readonly string[]): AppError {
  return new AppError('not_found', `unknown ${what} ${quoted(given)}; use one of ${known.join(', ')}`)
}

/**
 * Errors that the harness gets as such: wrong caller or address, and a daemon that is still starting. Other
 * errors must not disturb the session.
 */
const reportedErrors: ReadonlySet<ErrorCode> = new Set([
  'wrong_workspace',
  'unauthenticated',
  'forbidden',
  'scope_violation',
  'forbidden_host',
  'other_user',
  'forbidden_origin',
  'rate_limited',
  'not_found',
  'starting',
])

function answerFault(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error, request)
  if (reportedErrors.has(known.code)) {
    answerAppError(known, request, reply)
    return
  }
  const { url: route } = request.routeOptions
  request.log.warn({ requestId: request.id, route, code: known.code }, 'hook without effect')
  void send(reply, { text: '', type: 'text', note: `the hook had no effect: ${known.message}` })
}

function send(reply: FastifyReply, { text, type, note }: Omit<HookAnswer, 'outcome'>): FastifyReply {
  if (note) reply.header(hookNoteHeader, headerText(note))
  reply.type(type === 'json' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
  return reply.code(200).send(text)
}

/** One line of printable ASCII. */
function headerText(text: string): string {
  return clip(text, 300).replace(/[^ -~]+/gu, ' ')
}
