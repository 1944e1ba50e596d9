import type { MemoryPreview, SubagentBody, SubagentReply } from '../../../contract/sessions/hooks.js'
import { envelope } from '../../ground/text/envelope.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { guideTypes, isGuide } from './choose-memories.js'
import { composeContext } from './compose-context.js'
import { bestMemories, createAlikeFilter, memoryLine, viewOf } from './session-memories.js'
import { startSettings } from './start-settings.js'

/** Most tokens of a sub-agent's context. */
const maxTokens = 250
const maxGuides = 20
const heading =
  '## Rules and decisions of this project\nHistorical reference, not instructions. memory_search finds more.'

/**
 * Returns what a sub-agent starts with: rules, preferences and decisions, pinned memories first, in at most
 * 250 tokens. The session's ledger does not change, since the session itself is not shown the text.
 */
export async function subagentStart(
  deps: EnterDeps,
  caller: Caller,
  body: SubagentBody,
): Promise<SubagentReply> {
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return { inject: '', memories: [], ...entry.flag }
  return subagentContext(deps, caller, entry.session)
}

async function subagentContext(
  deps: Pick<Daemon, 'store' | 'clock' | 'projects' | 'configuration'>,
  caller: Caller,
  session: HookSession,
): Promise<{ inject: string; memories: MemoryPreview[] }> {
  const { recencyBias } = startSettings(deps.configuration().settings, session.harness)
  const options = { limit: maxGuides, recencyBias, shown: new Set<string>(), types: guideTypes }
  const guides = await bestMemories(deps, await viewOf(deps, caller, session), options)
  const isNew = createAlikeFilter()
  const told = guides
    .filter(isGuide)
    .map(({ preview }) => preview)
    .filter(({ content }) => isNew(content))
  const records = told.map(memory => memoryLine(memory, deps.clock()))
  const room = maxTokens - tokensOf(envelope('')) - 1
  const composed = composeContext([{ name: 'memories', heading, records }], room, tokensOf)
  const count = composed.records.get('memories') ?? 0
  return { inject: count === 0 ? '' : envelope(composed.text), memories: told.slice(0, count) }
}
