import { basename, dirname } from 'node:path'
import { type DestinationStream, type Logger, pino } from 'pino'
import { createStream } from 'rotating-file-stream'

/** Fields that could carry a credential or a memory, wherever they stand in a log line. */
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
  /** Resolves when every line is in the file. */
  flush(): Promise<void>
}

/** The daemon's log: JSON lines to stderr, or to a file that is rotated at 10 MB and kept five times. */
export function openLog(target: { file: string } | 'stderr', level: string): DaemonLog {
  if (target === 'stderr')
    return { log: createLog(pino.destination({ dest: 2, sync: true }), level), flush: async () => undefined }
  const stream = createStream(basename(target.file), {
    path: dirname(target.file),
    size: '10M',
    maxFiles: 5,
    rotate: 5,
  })
  return { log: createLog(stream, level), flush: () => new Promise(resolve => stream.end(resolve)) }
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
