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
import { assertInScope } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { claimIds } from '../../memory/recall/choose/ledger.js'
import { tryRecall } from '../../memory/recall/recall.js'
import {
  type RecallWithTelemetryDeps,
  recallWithTelemetry,
} from '../../memory/recall/recorded/recall-with-telemetry.js'
import { type RememberDeps, remember } from '../../memory/remember/remember.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { type ContextPiece, composeContext } from './compose-context.js'
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
  /** The text in pieces. */
  pieces: readonly ContextPiece[]
  given: readonly InjectedItem[]
}

export const noMemories: PromptMemories = { text: '', pieces: [], given: [] }

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
  { session, prompt, claims }: { session: HookSession; prompt: string; claims: boolean },
  leftMs: number,
): Promise<PromptMemories> {
  const { name, agentId, project, repository } = session
  if ((claims && !name) || deps.configuration().settings.context.promptRecall === 'off') return noMemories
  const query = prompt.slice(0, promptLimits.query)
  const wanted = hookRecall.body.parse({ query, limit: promptLimits.memories, harness: session.harness })
  try {
    const found = await within(
      tryRecall(
        deps,
        { ...caller, project, repository },
        { ...wanted, agentId, agent_id: undefined, sessionKey: name?.sessionKey, score_min: strictScore },
      ),
      leftMs,
      () => new Error('memories not found in time'),
    )
    const rows = found.results.filter(({ supplementary, document }) => !supplementary && !document)
    const fitting = rows.slice(0, memoriesText(deps, rows).given.length)
    const shown = claims && name ? await claimed(deps, name, fitting) : fitting
    return memoriesText(deps, shown)
  } catch (error) {
    deps.log.warn({ err: error }, 'prompt without memories')
    return noMemories
  }
}

/** Returns the rows that the session did not have, so that two concurrent prompts do not both get one. */
async function claimed(deps: Deps, name: SessionName, rows: readonly RecallRow[]): Promise<RecallRow[]> {
  if (rows.length === 0) return []
  const { fresh } = await claimIds(
    deps,
    name,
    rows.map(({ id }) => id),
  )
  return rows.filter(({ id }) => fresh.has(id))
}

/** Formats the first memories that fit. */
function memoriesText({ clock }: Deps, rows: readonly RecallRow[]): PromptMemories {
  const begin = (text: string) =>
    clip(withoutSecrets(beginningOf(withoutPrivate(text), promptLimits.characters)), promptLimits.characters)
  const records = rows.map(({ id, content, verbatim, type, created_at }) => {
    const shown = begin(content)
    const lines = verbatim && { verbatim: begin(verbatim) }
    return memoryLine(
      { id, content: shown, ...lines, type, created_at, truncated: content !== shown },
      clock(),
    )
  })
  const section = { name: 'memories', heading: '## Related Memories', records }
  const { text, pieces, records: taken } = composeContext([section], promptLimits.tokens, tokensOf)
  const given = rows
    .slice(0, taken.get('memories') ?? 0)
    .map(({ id, source, score }) => ({ id, kind: 'memory' as const, by: source, score }))
  return { text, pieces, given }
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
