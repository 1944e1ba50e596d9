import { countOf } from '../../../lib/text/count-of.js'
import { readContextFile } from '../../../store/files/context-file.js'
import { withoutMark } from '../../../store/files/summary-file.js'
import { movedFrom } from '../../ground/projects/moved-from.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { listedName } from '../synthesis/projection.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { failedTests } from '../work/read-work.js'
import { chooseMemories, countedMemories, type MemoryChoice } from './choose-memories.js'
import { continuitySection } from './continuity.js'
import { readIdentity } from './identity.js'
import { unreadMessages } from './peer-messages.js'
import type { ContextParts } from './session-context.js'
import { type StartSettings, startSettings } from './start-settings.js'
import type { Summary } from './without-repeats.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration' | 'projects' | 'paths' | 'plugins'>

const maxSummaryBytes = 65_536

export interface GatherOptions {
  /** The session that started this one. */
  parentKey: string | undefined
  /** Ids already in the session's context. */
  shown: ReadonlySet<string>
  /** The context already has all but what is new. */
  isResumed: boolean
}

export interface GatheredContext {
  settings: StartSettings
  parts: ContextParts
  choice: MemoryChoice
}

/** Gathers candidates for a session's context, before the budget decides; records nothing (rules.md 4.12). */
export async function gatherContext(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { parentKey, shown, isResumed }: GatherOptions,
): Promise<GatheredContext> {
  const settings = startSettings(deps.configuration().settings, session.harness)
  const { recallLimit: limit, recencyBias, includeRecentContext } = settings
  const reader = { agentId: session.agentId, sessionKey: session.name?.sessionKey }
  const earlier = isResumed ? { ...settings.continuity, maxEntries: 0 } : settings.continuity
  const hasContinuity = settings.continuity.maxEntries > 0
  const [identity, choice, notifications, continuity, recentContext, contributions, unfinished] =
    await Promise.all([
      readIdentity(deps, isResumed ? { ...settings, includeIdentity: false } : settings),
      chooseMemories(deps, caller, session, { limit, recencyBias, continuity: hasContinuity, shown }),
      unreadMessages(deps, caller, reader),
      continuitySection(deps, caller, session, parentKey, earlier),
      includeRecentContext && !isResumed ? summaryFor(deps, caller, session) : noSummary,
      deps.plugins.sessionContributions(),
      isResumed ? '' : failedTests(deps, caller, session),
    ])
  const moved = isResumed ? '' : await movedText(deps, caller, session, choice)
  const parts: ContextParts = {
    identity,
    moved,
    unfinished,
    memories: choice.chosen.map(({ preview }) => preview),
    told: { now: deps.clock(), total: choice.total, counted: countedMemories },
    notifications,
    continuity,
    recentContext,
    contributions,
    sessionKey: session.name?.sessionKey,
    isResumed,
  }
  return { settings, parts, choice }
}

/**
 * Returns a sentence for a project without memories of its own, if one that it may have been before has some
 * (projects.md#places).
 */
async function movedText(
  { store, projects }: Pick<Deps, 'store' | 'projects'>,
  caller: Caller,
  session: HookSession,
  { chosen }: MemoryChoice,
): Promise<string> {
  const { project } = session
  const isConfined = caller.access.scope.project !== undefined
  if (project === null || isConfined || chosen.some(({ preview }) => preview.project !== null)) return ''
  const former = await movedFrom(projects, project)
  if (former.length === 0) return ''
  const boundary = await readBoundary({ store }, caller, session)
  const count = (of: string | null) => store.tables.memories.countTold(boundary, of, countedMemories)
  const ofAll = await count(null)
  for (const { key, command } of former) {
    const own = (await count(key)) - ofAll
    if (own > 0)
      return (
        `${countOf(own, 'memory', 'memories')} of ${key}, which is gone: if it was moved or renamed to this ` +
        `project, tell the user to run \`${command}\`.`
      )
  }
  return ''
}

const noSummary: Summary = { text: '', project: undefined }

/**
 * MEMORY.md contains what the workspace's own agent may read, so other agents and limited credentials don't
 * get it.
 */
async function summaryFor(
  { paths, projects }: Pick<Deps, 'paths' | 'projects'>,
  { access: { scope } }: Caller,
  { agentId, project }: HookSession,
): Promise<Summary> {
  if (agentId !== defaultAgent || scope.project !== undefined || scope.user !== undefined) return noSummary
  const file = await readContextFile(paths.root, paths.summary, maxSummaryBytes)
  const text = withoutMark(file)
  return { text: withoutPrivate(text), project: text === file ? undefined : listedName(projects, project) }
}
