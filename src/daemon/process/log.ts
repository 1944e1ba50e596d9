import { basename, dirname } from 'node:path'
import { type DestinationStream, type Logger, pino } from 'pino'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { RecentLogs } from '../ground/telemetry/recent-logs.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import type { Route } from '../platform/http/bind.js'

/** Fields that may contain a credential or a memory, at any depth of a log line. */
const hidden = [
  'authorization',
  'apiKey',
  'api_key',
  'token',
  'password',
  'secret',
  'content',
  'query',
  'body',
]

export interface DaemonLog {
  log: Logger
  /** The newest lines, served over HTTP. */
  recentLogs: RecentLogs
  /** Resolves when every line is in the file. */
  flush(): Promise<void>
}

/**
 * The daemon's log: JSON lines to stderr, or to a file rotated at 10 MB with five old files.
 * @param retryMs wait after a line that could not be written
 */
export function openLog(
  target: { file: string } | 'stderr',
  level: string,
  { retryMs = 5000 }: { retryMs?: number } = {},
): DaemonLog {
  const recentLogs = new RecentLogs()
  const logTo = (stream: DestinationStream): Logger =>
    createLog(
      {
        write: line => {
          stream.write(line)
          recentLogs.take(line)
        },
      },
      level,
    )
  if (target === 'stderr') {
    const log = logTo(pino.destination({ dest: 2, sync: true }))
    return { log, recentLogs, flush: async () => undefined }
  }
  const file = openLogFile(target.file, retryMs)
  return { log: logTo(file), recentLogs, flush: file.end }
}

/**
 * Lines are lost while the disk is full: that must not end the daemon, and logging resumes once there is
 * space.
 * @param retryMs wait after a line that could not be written
 */
function openLogFile(path: string, retryMs: number): DestinationStream & { end(): Promise<void> } {
  const state: { stream: RotatingFileStream | undefined; brokenAt: number } = {
    stream: undefined,
    brokenAt: Number.NEGATIVE_INFINITY,
  }
  const open = (): RotatingFileStream => {
    const stream = createStream(basename(path), { path: dirname(path), size: '10M', maxFiles: 5, rotate: 5 })
    stream.on('error', () => {
      Object.assign(state, { stream: undefined, brokenAt: performance.now() })
    })
    return stream
  }
  return {
    write: line => {
      if (!state.stream && performance.now() - state.brokenAt < retryMs) return
      state.stream ??= open()
      state.stream.write(line)
    },
    end: () => new Promise(resolve => (state.stream ? state.stream.end(resolve) : resolve())),
  }
}

export function createLog(stream: DestinationStream, level: string): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: hidden.flatMap(field => [field, `*.${field}`, `*.*.${field}`]), censor: '[hidden]' },
    },
    stream,
  )
}

/** The daemon with a logger of the domain's category (telemetry.md 1). @param name of the domain */
export function withCategory(daemon: Daemon, name: string): Daemon {
  return { ...daemon, log: daemon.log.child({ category: categoryOf(name) }) }
}

/** The routes of a domain, which get the daemon with the domain's logger. */
export function routesOf(name: string, { routes = [] }: Domain): Route[] {
  const seen = new WeakMap<Daemon, Daemon>()
  const asSeen = (daemon: Daemon): Daemon => {
    const known = seen.get(daemon) ?? withCategory(daemon, name)
    seen.set(daemon, known)
    return known
  }
  return routes.map(({ endpoint, handler }) => ({
    endpoint,
    handler: async () => {
      const handle = await handler()
      return (daemon, input) => handle(asSeen(daemon), input)
    },
  }))
}

/** Converts `secretStore` to `secret-store`. */
function categoryOf(name: string): string {
  return name.replaceAll(/[A-Z]/gu, capital => `-${capital.toLowerCase()}`)
}
