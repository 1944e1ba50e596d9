import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { Domain } from '../../platform/domain.js'
import type { WhenReady } from '../../platform/http/bind.js'
import { createHeardEvents } from './heard-events.js'
import { createHookSpool, type HeldHooks, keepHook } from './hook-spool.js'
import { promptsOf } from './owed-starts.js'
import { registerHarnessHooks } from './register-harness-hooks.js'
import { createSessionFiles } from './session-files.js'

export interface HarnessHooksOptions {
  log: Logger
  paths: WorkspacePaths
  clock: () => Date
  environment: NodeJS.ProcessEnv
}

/** Hooks in the words of the harnesses: those that arrive, and those that were kept while no daemon took them. */
export function createHarnessHooks({ log, paths, clock, environment }: HarnessHooksOptions): Domain & {
  register(app: FastifyInstance, whenReady: WhenReady): void
} {
  const relays = { files: createSessionFiles({ log, paths, environment }), heard: createHeardEvents() }
  const held: HeldHooks = new Map()
  return {
    register: (app, whenReady) =>
      registerHarnessHooks(app, {
        log,
        clock,
        ...relays,
        promptsOf: async key => promptsOf(await whenReady(), key),
        keep: hook => keepHook({ paths, log, newId: () => uuidv7(), held }, hook),
      }),
    workers: [daemon => createHookSpool(daemon, { askAs: daemon.askAs, held, ...relays })],
  }
}
