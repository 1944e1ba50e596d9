import type { RecallRow } from '../../../contract/memory/memory.js'
import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import {
  type HookRecallBody,
  type HookRecallReply,
  type HookRememberBody,
  type HookRememberReply,
  hookRecall,
} from '../../../contract/sessions/hooks.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { clip } from '../../../lib/text/clip.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import { claimIds } from '../../memory/recall/choose/ledger.js'
import { tryRecall } from '../../memory/recall/recall.js'
import {
  type RecallWithTelemetryDeps,
  recallWithTelemetry,
} from '../../memory/recall/recorded/recall-with-telemetry.js'
import { type RememberDeps, remember } from '../../memory/remember/remember.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { composeContext } from './compose-context.js'
import { memoryLine } from './session-memories.js'

export type MemoryHookDeps = RememberDeps & EnterDeps & RecallWithTelemetryDeps
type Deps = MemoryHookDeps
type SessionName = NonNullable<HookSession['name']>

/**
 * Saves a memory for a session with its agent, project and harness (rules.md 4.10). Errors of the save are
 * thrown.
 */
export async function rememberByHook(
  deps: Deps,
  caller: Caller,
  body: HookRememberBody,
): Promise<HookRememberReply> {
  const entry = await enterHook(deps, caller, body)
  if (entry.kind === 'no-op') return entry.flag
  const { agentId, project, repository, name, runtimePath } = entry.session
  return remember(
    deps,
    { ...caller, repository },
    {
      ...body,
      agentId,
      project,
      // A credential limited to one author sets the author.
      who: body.who ?? (caller.access.scope.user === undefined ? body.harness : undefined),
      sessionId: body.sessionId ?? name?.sessionKey,
      runtimePath,
    },
  )
}

/** Recall for a session; the reply also has the field names of older harnesses (rules.md 4.10). */
export async function recallByHook(
  deps: Deps,
  caller: Caller,
  body: HookRecallBody,
): Promise<HookRecallReply> {
  // The searched project is not the project in which the session works.
  assertInScope(caller.access.scope, 'project', body.project)
  const entry = await enterHook(deps, caller, { ...body, project: undefined })
  if (entry.kind === 'no-op') return { ...nothingRecalled(body.query), ...entry.flag }
  const { agentId, agentNamed, name } = entry.session
  const wanted = {
    ...body,
    agentId: agentNamed ? agentId : undefined,
    agent_id: undefined,
    sessionKey: name?.sessionKey,
  }
  const reply = await recallWithTelemetry(deps, caller, wanted, {
    route: hookRecall.path,
    surface: 'tool_call',
  })
  return { ...reply, memories: reply.results }
}

/** The memories that a prompt brings, and the reasons. */
export interface PromptMemories {
  text: string
  given: readonly InjectedItem[]
}

export const noMemories: PromptMemories = { text: '', given: [] }

/** Limits of the memories of one prompt (hooks.md#user-prompt-submit). */
const promptLimits = { memories: 3, tokens: 150, characters: 240, query: 2000 }
/** Chance that a memory answers the prompt; a wrong memory costs more than none. */
const strictScore = 0.7

/**
 * Returns the memories that answer a prompt if `context.promptRecall` is on: those of a recall with a strict
 * score that the session has not seen. Only those shown are recorded, so that feedback works.
 * @param leftMs time until the prompt goes on without them
 */
export async function memoriesForPrompt(
  deps: Deps,
  caller: Caller,
  { session, prompt }: { session: HookSession; prompt: string },
  leftMs: number,
): Promise<PromptMemories> {
  const { name, agentId, project, repository } = session
  if (!name || deps.configuration().settings.context.promptRecall === 'off') return noMemories
  const query = prompt.slice(0, promptLimits.query)
  const wanted = hookRecall.body.parse({ query, limit: promptLimits.memories, harness: session.harness })
  try {
    const found = await within(
      tryRecall(
        deps,
        { ...caller, project, repository },
        { ...wanted, agentId, agent_id: undefined, sessionKey: name.sessionKey, score_min: strictScore },
      ),
      Math.max(0, leftMs),
      () => new Error('memories not found in time'),
    )
    const rows = found.results.filter(({ supplementary, document }) => !supplementary && !document)
    return await shownOnce(deps, name, rows)
  } catch (error) {
    deps.log.warn({ err: error }, 'prompt without memories')
    return noMemories
  }
}

/** Claims the memories first, so that two concurrent prompts do not both get one. */
async function shownOnce(deps: Deps, name: SessionName, rows: readonly RecallRow[]): Promise<PromptMemories> {
  const fitting = rows.slice(0, textOfMemories(deps, rows).count)
  if (fitting.length === 0) return noMemories
  const { fresh } = await claimIds(
    deps,
    name,
    fitting.map(({ id }) => id),
  )
  const shown = fitting.filter(({ id }) => fresh.has(id))
  const given = shown.map(({ id, source, score }) => ({ id, kind: 'memory' as const, by: source, score }))
  return { text: textOfMemories(deps, shown).text, given }
}

function textOfMemories({ clock }: Deps, rows: readonly RecallRow[]): { text: string; count: number } {
  const records = rows.map(({ id, content, type, created_at }) => {
    const beginning = beginningOf(withoutPrivate(content), promptLimits.characters)
    const shown = clip(withoutSecrets(beginning), promptLimits.characters)
    return memoryLine({ id, content: shown, type, created_at, truncated: content !== shown }, clock())
  })
  const section = { name: 'memories', heading: '## Related Memories', records }
  const { text, records: taken } = composeContext([section], promptLimits.tokens, tokensOf)
  return { text, count: taken.get('memories') ?? 0 }
}

function nothingRecalled(query: string): HookRecallReply {
  return {
    results: [],
    memories: [],
    count: 0,
    query,
    method: 'none',
    meta: {
      totalReturned: 0,
      hasSupplementary: false,
      noHits: true,
      confidence: 0,
      timings: {},
      vectorCompleteness: 'none',
      searchedWindow: 0,
    },
    message: '',
  }
}
