import * as contract from '../../../contract/sessions/sessions.js'
import { route } from '../../platform/http/bind.js'
import { findSession, listSessions, toSession } from './list-sessions.js'

export const routes = [
  route(contract.listSessions, async (daemon, { caller, query }) => {
    const sessions = await listSessions(daemon, caller, query)
    return { sessions, count: sessions.length }
  }),
  route(contract.getSession, async (daemon, { caller, params, query }) =>
    toSession(await findSession(daemon, caller, params.key, query), daemon.clock().toISOString()),
  ),
  route(contract.bypassSession, async (daemon, { caller, params, query, body }) => {
    const named = body.agentId || body.agent_id ? body : query
    const { agent_id: agentId, session_key: sessionKey } = await findSession(
      daemon,
      caller,
      params.key,
      named,
    )
    await daemon.store.write({ until: 'executed' }, async ({ sessions }) => {
      await sessions.setBypassed({ agentId, sessionKey }, body.enabled)
    })
    const { toolQueues } = daemon
    if (body.enabled) await toolQueues.each(sessionKey, () => toolQueues.close(sessionKey))
    return { key: sessionKey, bypassed: body.enabled }
  }),
]
