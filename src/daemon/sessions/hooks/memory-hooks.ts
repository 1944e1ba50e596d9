import {
  type HookRecallBody,
  type HookRecallReply,
  type HookRememberBody,
  type HookRememberReply,
  hookRecall,
} from '../../../contract/sessions/hooks.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import {
  type RecallWithTelemetryDeps,
  recallWithTelemetry,
} from '../../memory/recall/recorded/recall-with-telemetry.js'
import { type RememberDeps, remember } from '../../memory/remember/remember.js'
import { type EnterDeps, enterHook } from '../tracker/enter-hook.js'

type Deps = RememberDeps & EnterDeps & RecallWithTelemetryDeps

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
