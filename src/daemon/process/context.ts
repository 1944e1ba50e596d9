import type { Logger } from 'pino'
import { createTraffic } from '../../lib/concurrency/in-flight.js'
import { LoopBudget } from '../../lib/concurrency/loop-budget.js'
import { oneAtATime } from '../../lib/concurrency/one-at-a-time.js'
import { timeOrderedIds } from '../../lib/time/time-ordered-ids.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { SecretStore } from '../../store/secrets/secret-store.js'
import type { Store } from '../../store/store.js'
import { createExtractor } from '../ground/extraction/extractor.js'
import { openArtifactIndex, openMemoryIndex } from '../ground/index/indexes.js'
import { threadFromOf } from '../ground/index/thread-from.js'
import { dropPreparedThread } from '../ground/index/threaded-index.js'
import { SessionCosts } from '../ground/inference/accounting.js'
import { createBackgroundWork } from '../ground/jobs/background-work.js'
import { Projects } from '../ground/projects/projects.js'
import type { GitOf } from '../ground/projects/repository.js'
import { createRecallRecorder } from '../ground/recording/recall-recorder.js'
import { createEventRecorder } from '../ground/recording/record-event.js'
import { createSecrets, SecretUses } from '../ground/secrets/secrets.js'
import { BlackBoxes } from '../ground/sessions/black-box.js'
import { ToolQueues } from '../ground/sessions/tool-queue.js'
import { isPipelineOpen, isPipelinePaused } from '../ground/settings/pipeline-mode.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import { AccessCounts } from '../ground/storage/access-counts.js'
import { createIntegrity } from '../ground/storage/integrity.js'
import type { Room } from '../ground/storage/room.js'
import type { Auth } from '../platform/auth/auth.js'
import { signingKeyOf } from '../platform/auth/token.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import { createLeaseReaper } from '../platform/jobs/leases.js'
import { createHeartbeat, type Heartbeat } from '../platform/nodes/heartbeat.js'
import { createPasswordManagers } from '../platform/password-vaults/password-vaults.js'
import { createPlugins, type PluginsOptions } from '../platform/plugins/plugins.js'
import { prepareScan } from '../safety/late-scan.js'
import { createTranscriptIndex } from '../sessions/transcripts/transcript-index.js'
import { assembleCrew, type Crew, recoverRows, settleWork } from './crew.js'
import {
  type CurrentEmbedding,
  type CurrentInference,
  createCurrentEmbedding,
  createCurrentInference,
} from './current-models.js'
import { followedBy } from './followed.js'
import { withCategory } from './log.js'
import {
  despiteFaults,
  endWhenForeign,
  finishMove,
  openChosenStore,
  pathsOf,
  type ServerWait,
} from './open-store.js'

type PassedOptions = 'version' | 'askAs' | 'address' | 'stop' | 'recentLogs' | 'requestCounts' | 'mcpRequests'

export interface ContextOptions extends Pick<Daemon, PassedOptions> {
  paths: WorkspacePaths
  settings: SettingsWatch
  log: Logger
  clock: () => Date
  environment: NodeJS.ProcessEnv
  /** Opens a secret store protected by a passphrase. */
  secretsPassphrase?: string
  auth: Auth
  room: Room
  /** Called when the rows may have changed without this process, which has to be started again. */
  onForeign(why: string): void
  /** True when the last daemon of this workspace crashed or was killed. */
  afterCrash: boolean
  domains: Readonly<Record<string, Domain>>
}

export interface Context extends Pick<Heartbeat, 'endSoon'> {
  daemon: Daemon
  /** Fills the index and starts the workers; resolves when the index is complete. */
  load(): Promise<void>
  /** True during background work: jobs, or a model download. */
  busy(): boolean
  /** Ends whatever keeps running requests open. */
  stopping(): void
  close(): Promise<void>
}

/**
 * Opens the database and builds all parts of the daemon; the only place that does.
 * @returns at once for a database in a file
 * @throws Error when the database can't be opened, or a kind of job has no worker or two
 */
export function createContext(given: ContextOptions, wait: ServerWait): Context | Promise<Context> {
  const parts = openSecrets(given)
  const moving = finishMove({ ...given, ...parts }, wait)
  return moving ? moving.then(() => openContext(given, parts, wait)) : openContext(given, parts, wait)
}

type SecretParts = Pick<Daemon, 'secrets' | 'passwordManagers'>

function openContext(
  given: ContextOptions,
  parts: SecretParts,
  wait: ServerWait,
): Context | Promise<Context> {
  const { storage } = given.settings.current().settings
  const options = { ...given, paths: pathsOf(given.paths, storage) }
  const { paths, log, room } = options
  const integrity = createIntegrity(log.child({ category: 'storage' }))
  const onFault = (error: unknown): void => {
    room.note(error)
    integrity.note(error)
  }
  const { ending, onForeign } = endWhenForeign(paths, given)
  const store = openChosenStore({ ...options, ...parts, storage, onFault, onForeign }, wait)
  const built = (of: Store): Context =>
    ending(buildContext({ ...options, onForeign }, { ...parts, integrity, store: of }))
  return store instanceof Promise ? store.then(built) : built(store)
}

type OpenedParts = Pick<Daemon, 'secrets' | 'passwordManagers' | 'store' | 'integrity'>

function buildContext(options: ContextOptions, opened: OpenedParts): Context {
  const { settings, log } = options
  const { secrets } = opened
  const embedding = createCurrentEmbedding({
    ...options,
    log: log.child({ category: 'embedding' }),
    secrets,
    telemetry: () => daemon.telemetry,
    onAvailable: () => crew.tell('embeddable'),
    onModel: () =>
      void fillIndex().catch(error => log.error({ err: error }, 'index not rebuilt for the new model')),
  })
  const inference = createCurrentInference({
    ...options,
    log: log.child({ category: 'inference' }),
    secrets,
    ledger: () => daemon,
  })
  const crewParts = {
    wake: (job, subject) => crew.wake(job, subject),
    jobReports: () => crew.jobReports(),
    isAtWork: () => crew.isAtWork(),
    isStopping: () => crew.isStopping(),
  } satisfies Partial<Daemon>
  const daemon = openDaemon(options, { ...opened, embedding, inference, ...crewParts })
  const reaper = createLeaseReaper(daemon, { onReturned: () => crew.tell('returned') })
  const heartbeat = createHeartbeat(daemon, {
    onWork: kinds => {
      if (!crew.isAtWork()) return
      crew.tell('elsewhere')
      for (const kind of kinds) crew.wake({ kind })
    },
    onGone: isAlone => recoverRows(daemon, domains, isAlone),
  })
  const made = Object.entries(options.domains).flatMap(([name, { workers = [] }]) =>
    workers.map(create => create(withCategory(daemon, name))),
  )
  const domains = Object.values(options.domains)
  const kinds = domains.flatMap(({ jobs = [] }) => jobs)
  const crew = assembleCrew([reaper, heartbeat, ...made], kinds)
  settings.onChange((next, previous) => {
    crew.tell('configured')
    if (isPipelinePaused(next)) daemon.background.giveUp()
    const { mutationsFrozen } = previous.memory.pipelineV2
    const isThawed = mutationsFrozen && !next.memory.pipelineV2.mutationsFrozen
    if (isThawed || (!isPipelineOpen(previous) && isPipelineOpen(next))) crew.tell('thawed')
  })
  daemon.changes = followedBy(daemon, settings, options.onForeign)
  const fillIndex = async (): Promise<void> => {
    const model = embedding.current().status()
    await daemon.index.use(model)
    await daemon.artifactIndex.use(model)
    crew.tell('embeddable')
  }
  return assembleContext(daemon, { crew, heartbeat, embedding, inference, domains, fillIndex })
}

type DaemonParts = OpenedParts &
  Pick<Daemon, 'wake' | 'jobReports' | 'isAtWork' | 'isStopping'> & {
    embedding: Pick<CurrentEmbedding, 'current'>
    inference: Pick<CurrentInference, 'current'>
  }

function openDaemon(
  options: ContextOptions,
  { embedding, inference, secrets, passwordManagers, store, ...crewParts }: DaemonParts,
): Daemon {
  const { version, paths, settings, log, clock, environment, auth, room, afterCrash } = options
  const { askAs, address, stop, recentLogs, requestCounts, mcpRequests } = options
  if (store.file) room.alsoTry(store.file.assertInPlace)
  const budget = new LoopBudget()
  const newId = timeOrderedIds()
  return {
    version,
    paths,
    startedAt: clock(),
    configuration: settings.current,
    changeSettings: settings.change,
    settingsFile: settings.file,
    waitingSettings: settings.waiting,
    store,
    projects: openProjects(options, { store, newId }),
    accessCounts: new AccessCounts({ store, log: log.child({ category: 'memory' }) }),
    blackBoxes: new BlackBoxes({ store, clock, newId, log: log.child({ category: 'sessions' }) }),
    toolQueues: new ToolQueues({ paths, log }),
    ...openIndexes(options, { store, budget }),
    ...openTelemetry(options, { store, newId }),
    sessionCosts: new SessionCosts(),
    capturing: oneAtATime(),
    extractor: createExtractor(),
    embedder: embedding.current,
    inference: inference.current,
    secrets,
    passwordManagers,
    ...crewParts,
    background: createBackgroundWork(() => isPipelinePaused(settings.current().settings)),
    budget,
    hooksInFlight: createTraffic(),
    requestsInFlight: createTraffic(),
    mcpRequests,
    room,
    afterCrash,
    clock,
    newId,
    log,
    recentLogs,
    requestCounts,
    auth,
    plugins: createPlugins({
      paths,
      version,
      clock,
      newId,
      log: log.child({ category: 'plugins' }),
      ...factsOf({ secrets, passwordManagers }),
    }),
    environment,
    signingKey: signingKeyOf(auth, store.tables.nodes.own !== null),
    askAs,
    address,
    stop,
  }
}

function openProjects(
  { paths, settings, log: plain, clock, environment }: ContextOptions,
  parts: Pick<Daemon, 'store' | 'newId'>,
): Projects {
  const configuration = settings.current
  const log = plain.child({ category: 'memory' })
  // Its questions have short deadlines, so none has to be ended early.
  const { signal } = new AbortController()
  const gitOf: GitOf = gitDir => ({
    ask: async (...question) => {
      const { createForeignGit } = await import('../platform/processes/foreign-git.js')
      return createForeignGit({ paths, log, environment }, { gitDir }, signal).ask(...question)
    },
  })
  return new Projects({ ...parts, clock, configuration, environment, gitOf, log })
}

function openTelemetry(
  { settings, paths, log, clock, environment }: ContextOptions,
  parts: Pick<Daemon, 'store' | 'newId'>,
): Pick<Daemon, 'telemetry' | 'recallRecorder'> {
  const configuration = settings.current
  const telemetryLog = log.child({ category: 'telemetry' })
  const deps = { ...parts, configuration, paths, log: telemetryLog, clock, environment }
  return { telemetry: createEventRecorder(deps), recallRecorder: createRecallRecorder(deps) }
}

/** Opens the search indexes, each on its own thread once it is large. */
function openIndexes(
  { paths, settings, log: plain, environment }: ContextOptions,
  { store, budget }: Pick<Daemon, 'store' | 'budget'>,
): Pick<Daemon, 'index' | 'transcriptIndex' | 'artifactIndex'> {
  const log = plain.child({ category: 'index' })
  // A thread opens the file itself, which is impossible without one, and while this connection holds it
  // exclusively (full disk).
  const threadFrom =
    !store.file || store.file.isAlone()
      ? Number.POSITIVE_INFINITY
      : threadFromOf(environment.SERVICE_INDEX_THREAD)
  return {
    index: openMemoryIndex({
      store,
      database: paths.database,
      snapshot: paths.snapshot,
      log,
      threadFrom,
      threads: settings.current().settings.index.threads,
    }),
    transcriptIndex: createTranscriptIndex({ store, paths, log, budget, threadFrom }),
    artifactIndex: openArtifactIndex({
      store,
      database: paths.database,
      snapshot: paths.artifactSnapshot,
      log,
      threadFrom,
    }),
  }
}

/** Facts about plugins that they can't determine themselves. */
function factsOf({ secrets, passwordManagers }: SecretParts): Pick<PluginsOptions, 'isMet' | 'checks'> {
  const { store } = secrets
  const facts = {
    // An active password manager counts as having secrets; listing them would take seconds.
    secret_stored: async () => passwordManagers.active() !== undefined || (await store.names()).length > 0,
  }
  return {
    isMet: condition => facts[condition](),
    checks: { 'service.secrets': async () => (await store.status()).problem ?? undefined },
  }
}

/** Reads nothing until a secret is requested. */
function openSecrets(options: ContextOptions): SecretParts {
  const { paths, clock, environment, secretsPassphrase } = options
  const log = options.log.child({ category: 'secrets' })
  const store = new SecretStore({ folder: paths.secretsDir, clock, log, passphrase: secretsPassphrase })
  const passwordManagers = createPasswordManagers({ paths, log, environment, store })
  const uses = new SecretUses({ file: paths.secretUses, clock, log })
  return {
    secrets: createSecrets({ store, environment, external: passwordManagers, uses }),
    passwordManagers,
  }
}

interface Parts {
  crew: Crew
  heartbeat: Heartbeat
  embedding: CurrentEmbedding
  inference: CurrentInference
  domains: readonly Domain[]
  fillIndex(): Promise<void>
}

/** How long requests that waited for the index go before leftover work. */
const crewWaitsMs = 1000
const prepareAfterMs = 500

/** Defines the steps before the workers start, and the order of closing. */
function assembleContext(daemon: Daemon, parts: Parts): Context {
  const { crew, heartbeat, embedding, inference, domains, fillIndex } = parts
  const { store, index, artifactIndex, transcriptIndex, log } = daemon
  const life: { closed: boolean; loading?: Promise<void>; preparing?: NodeJS.Timeout } = { closed: false }
  const load = async (): Promise<void> => {
    const despite = (work: () => Promise<void>) => despiteFaults({ log, isOver: () => life.closed }, work)
    await despite(() => heartbeat.enter().then(() => settleWork(daemon, domains)))
    await despite(async () => daemon.changes?.start())
    await despite(fillIndex).finally(dropPreparedThread)
    await daemon.requestsInFlight.quiet(AbortSignal.timeout(crewWaitsMs))
    if (life.closed) return
    crew.start()
    await despite(() => transcriptIndex.fill())
    if (!life.closed) life.preparing = setTimeout(() => void prepareScan(), prepareAfterMs).unref()
  }
  daemon.room.onRecovered(() => {
    store.file?.rejoin().catch(error => log.warn({ err: error }, 'database still locked for other programs'))
    settleWork(daemon, domains)
      .then(() => crew.tell('returned'))
      .catch(error => log.warn({ err: error }, 'interrupted work not finished'))
  })
  return {
    daemon,
    load: async () => {
      life.loading = load()
        // Errors caused by a stop during loading are expected.
        .catch(error => {
          if (!life.closed) throw error
        })
        .finally(() => {
          delete life.loading
        })
      await life.loading
    },
    busy: () => life.loading !== undefined || crew.busy() || embedding.busy(),
    endSoon: heartbeat.endSoon,
    stopping: () => crew.stopping(),
    close: async () => {
      life.closed = true
      clearTimeout(life.preparing)
      await embedding.close()
      await inference.close()
      await crew.close()
      await daemon.accessCounts.close()
      await daemon.blackBoxes.close()
      await daemon.extractor.close()
      await daemon.changes?.close()
      await index.close()
      await artifactIndex.close()
      await transcriptIndex.close()
      // Filling the index ends at its next slice; until then it reads the database.
      await life.loading
      await heartbeat.leave().catch(error => log.warn({ err: error }, 'not removed from the list of nodes'))
      await store.close()
      await daemon.plugins.close()
    },
  }
}
