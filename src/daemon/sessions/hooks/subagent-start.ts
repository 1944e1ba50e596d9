import type { MemoryPreview, SubagentBody, SubagentReply } from '../../../contract/sessions/hooks.js'
import { envelope } from '../../ground/text/envelope.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { type ChosenMemory, type DisplacedMemory, guideTypes, isGuide } from './choose-memories.js'
import { type ContextPiece, composeContext } from './compose-context.js'
import { bestMemories, createAlikeFinder, isWrong, memoryLine, viewOf } from './session-memories.js'
import { startSettings } from './start-settings.js'

/** Most tokens of a sub-agent's context. */
export const maxSubagentTokens = 250
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
  const { inject, memories } = await subagentContext(deps, caller, entry.session)
  return { inject, memories }
}

export interface SubagentContext {
  inject: string
  memories: MemoryPreview[]
  /** The text of `inject` in pieces, without the envelope. */
  pieces: readonly ContextPiece[]
  /** In the order of the text; those beyond `memories` did not fit. */
  chosen: readonly ChosenMemory[]
  displaced: readonly DisplacedMemory[]
}

/** Builds the context of a sub-agent; records nothing. */
export async function subagentContext(
  deps: Pick<Daemon, 'store' | 'clock' | 'projects' | 'configuration'>,
  caller: Caller,
  session: HookSession,
): Promise<SubagentContext> {
  const { recencyBias } = startSettings(deps.configuration().settings, session.harness)
  const options = { limit: maxGuides, recencyBias, shown: new Set<string>(), types: guideTypes }
  const guides = await bestMemories(deps, await viewOf(deps, caller, session), options)
  const findAlike = createAlikeFinder()
  const chosen: ChosenMemory[] = []
  const displaced: DisplacedMemory[] = []
  for (const guide of guides.filter(isGuide)) {
    const { id, content } = guide.preview
    const memory = { ...guide, place: 'guide' as const }
    if (isWrong(guide)) {
      displaced.push({ ...memory, reason: 'wrong' })
      continue
    }
    const alikeTo = findAlike(content, id)
    if (alikeTo === undefined) chosen.push(memory)
    else displaced.push({ ...memory, reason: 'alike', alikeTo })
  }
  const records = chosen.map(({ preview }) => memoryLine(preview, deps.clock()))
  const room = maxSubagentTokens - tokensOf(envelope('')) - 1
  const composed = composeContext([{ name: 'memories', heading, records }], room, tokensOf)
  const count = composed.records.get('memories') ?? 0
  return {
    inject: count === 0 ? '' : envelope(composed.text),
    memories: chosen.slice(0, count).map(({ preview }) => preview),
    pieces: composed.pieces,
    chosen,
    displaced,
  }
}
