import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import type { EmbeddingSettings } from '../../contract/settings.js'
import { LoopBudget } from '../../lib/loop-budget.js'
import type { WorkspacePaths } from '../../lib/paths.js'
import { isDamage } from '../../store/damage.js'
import { openStore } from '../../store/database.js'
import { createEmbedder } from '../../store/embedding/create-embedder.js'
import type { Embedder } from '../../store/embedding/embedder.js'
import { createLiveIndex, threadFromOf } from '../ground/index/live-index.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import type { Room } from '../ground/storage/room.js'
import { createBackfill } from '../memory/embeddings/backfill.js'
import { createSafetyRescan } from '../memory/records/rescan-safety.js'
import { createRetentionWorker } from '../operations/retention/retention-worker.js'
import { createIntegrity, createIntegrityWatch } from '../operations/system/integrity-watch.js'
import type { Auth } from '../platform/auth/auth.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import { createLeaseReaper } from '../platform/jobs/leases.js'
import { createCaptureWorker } from '../sessions/capture/capture-worker.js'
import { createIdleCapture } from '../sessions/capture/idle-sessions.js'
import { createStaleSweep } from '../sessions/capture/stale-sweep.js'
import { finishCompactions } from '../sessions/compaction/finish-compaction.js'
import { createSynthesisWorker } from '../sessions/synthesis/synthesis-worker.js'
import { createTranscriptIndex } from '../sessions/transcripts/transcript-index.js'

export interface ContextOptions {
  version: string
  paths: WorkspacePaths
  settings: SettingsWatch
  log: Logger
  clock: () => Date
  environment: NodeJS.ProcessEnv
  auth: Auth
  room: Room
  /** The process before this one did not end by itself. */
  afterCrash: boolean
}

export interface Context {
  daemon: Daemon
  /** Fills the index; resolves when every stored row is in it. */
  load(): Promise<void>
  /** True while there is work that no request waits for: jobs, or a model that is fetched. */
  busy(): boolean
  close(): Promise<void>
}

/** The one place where the parts of the daemon are put together. @throws Error when the database can't be opened. */
export function createContext(options: ContextOptions): Context {
  const { version, paths, settings, log, clock, auth, room, afterCrash } = options
  const integrity = createIntegrity(log)
  const store = openStore(paths.database, clock(), error => {
    room.note(error)
    integrity.note(error)
  })
  const index = createLiveIndex({
    store,
    paths,
    log,
    // A thread reads by a connection of its own.
    threadFrom: store.isAlone()
      ? Number.POSITIVE_INFINITY
      : threadFromOf(options.environment.SERVICE_INDEX_THREAD),
  })
  const budget = new LoopBudget()
  const transcriptIndex = createTranscriptIndex({ store, file: paths.transcriptSnapshot, log, budget })
  const embedding = { current: openEmbedder(options, settings.current().settings.embedding) }
  const daemon: Daemon = {
    version,
    paths,
    startedAt: clock(),
    configuration: settings.current,
    store,
    index,
    transcriptIndex,
    embedder: () => embedding.current,
    backfill: { wake: () => backfill.wake() },
    synthesis: { wake: () => synthesis.wake() },
    captures: { wake: () => captures.wake() },
    budget,
    room,
    integrity,
    clock,
    newId: () => uuidv7(),
    log,
    auth,
    environment: options.environment,
    signingKey: randomBytes(32),
  }
  const backfill = createBackfill(daemon)
  const synthesis = createSynthesisWorker(daemon)
  const captures = createCaptureWorker(daemon)
  const onReturned = (): void => {
    backfill.wake()
    synthesis.wake()
    captures.wake()
  }
  const reaper = createLeaseReaper(daemon, { onReturned })
  const rescan = createSafetyRescan(daemon)
  const retention = createRetentionWorker(daemon)
  const staleSessions = createStaleSweep(daemon)
  const idleSessions = createIdleCapture(daemon)
  const integrityWatch = createIntegrityWatch(daemon, integrity, { afterCrash })
  const follow = (embedder: Embedder): void => {
    embedder.onChange(({ available }) => {
      if (available) backfill.wake()
    })
  }
  const fillIndex = async (): Promise<void> => {
    await index.use(embedding.current.status())
    backfill.wake()
  }
  follow(embedding.current)
  const scanAgain = (): void => {
    rescan.run().catch(error => log.error({ err: error }, 'memories not scanned for the safety policy'))
  }
  settings.onChange((next, previous) => {
    if (previous.memory.pipelineV2.mutationsFrozen && !next.memory.pipelineV2.mutationsFrozen) {
      onReturned()
      scanAgain()
    }
    if (isDeepStrictEqual(next.embedding, previous.embedding)) return
    const old = embedding.current
    embedding.current = openEmbedder(options, next.embedding)
    follow(embedding.current)
    log.info({ provider: next.embedding.provider, model: next.embedding.model }, 'embedding settings changed')
    void old.close()
    fillIndex().catch(error => log.error({ err: error }, 'index not rebuilt for the new embedding model'))
  })
  room.onRecovered(() => {
    store.rejoin().catch(error => log.warn({ err: error }, 'the database stays closed to other programs'))
    settleWork().catch(error => log.warn({ err: error }, 'work that was left is not settled'))
    onReturned()
    scanAgain()
  })
  const life: { closed: boolean; loading: Promise<void> | undefined } = { closed: false, loading: undefined }
  /** What a damaged database still holds is served: the way to a whole one is an export of it. */
  const despiteDamage = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!isDamage(error)) throw error
      log.error({ err: error }, 'a damaged database is served as far as it can be read')
    }
  }
  /** What the process before left; on a full disk that waits until there is room. */
  const settleWork = async (): Promise<void> => {
    try {
      await reaper.start()
      await finishCompactions(daemon)
    } catch (error) {
      if (!room.note(error)) throw error
    }
  }
  const load = async (): Promise<void> => {
    await despiteDamage(settleWork)
    await despiteDamage(fillIndex)
    if (life.closed) return
    retention.start()
    staleSessions.start()
    idleSessions.start()
    synthesis.start()
    captures.wake()
    scanAgain()
    integrityWatch.start()
    await despiteDamage(() => transcriptIndex.fill())
  }
  return {
    daemon,
    load: async () => {
      life.loading = load().finally(() => {
        life.loading = undefined
      })
      await life.loading
    },
    busy: () =>
      life.loading !== undefined ||
      backfill.busy() ||
      synthesis.busy() ||
      captures.busy() ||
      embedding.current.status().state === 'downloading',
    close: async () => {
      life.closed = true
      reaper.close()
      await embedding.current.close()
      await Promise.all([
        backfill.close(),
        synthesis.close(),
        captures.close(),
        retention.close(),
        rescan.close(),
        staleSessions.close(),
        idleSessions.close(),
        integrityWatch.close(),
      ])
      await index.close()
      await transcriptIndex.close()
      // The filling of the index ends at its next slice; until then it reads the database.
      await life.loading?.catch(() => undefined)
      await store.close()
    },
  }
}

function openEmbedder(
  { paths, log, clock, environment }: ContextOptions,
  settings: EmbeddingSettings,
): Embedder {
  return createEmbedder({
    settings,
    modelsDir: paths.models,
    allowDownload: environment.SERVICE_EMBEDDING_DOWNLOAD !== '0',
    readSecret: reference => environment[reference.replace(/^env:/u, '')],
    log,
    clock,
  })
}
