import * as contract from '../../../contract/mcp/tools.js'
import { countOf } from '../../../lib/text/count-of.js'
import { label, oneLine } from '../../../lib/text/one-line.js'
import { type Tool, tool } from '../../tool/tool.js'

/** Excerpts are shorter than this. */
const maxExcerpt = 500
const maxTitle = 120

const sessionList = tool({
  name: 'session_list',
  title: 'List sessions',
  description: 'List live, past and imported sessions, newest first: title, project, messages.',
  tier: 'rare',
  effect: 'reads',
  input: contract.sessionListInput,
  output: contract.sessionListOutput,
  links: ({ sessions }) =>
    sessions.map(({ key, title }) => ({ kind: 'session', id: key, title: `session: ${title ?? key}` })),
  run: async (call, { project, agent_id, limit }) => {
    const data = await call('GET /api/sessions', { query: { project, agentId: agent_id, limit, past: true } })
    const lines = data.sessions.map(({ key, title, harness, project, seenAt, turns }) => {
      const origin = [seenAt.slice(0, 10), label(harness), label(project ?? '')].filter(Boolean).join(', ')
      return `- ${oneLine(title ?? 'no prompt yet', maxTitle)} [${origin}, ${countOf(turns, 'message')}]\n  (session ${label(key)})`
    })
    return { text: lines.length > 0 ? lines.join('\n') : 'No sessions yet.', data }
  },
})

const sessionSearch = tool({
  name: 'session_search',
  title: 'Search past sessions',
  description: 'Search conversations of earlier sessions when memory_search finds nothing.',
  tier: 'extra',
  effect: 'reads',
  input: contract.sessionSearchInput,
  output: contract.sessionSearchOutput,
  links: ({ hits }) =>
    hits.map(({ sessionKey }) => ({ kind: 'session', id: sessionKey, title: `session: ${sessionKey}` })),
  run: async (call, { session_key, current_session_key, agent_id, ...body }) => {
    const found = await call('POST /api/sessions/search', {
      body: {
        ...body,
        sessionKey: session_key,
        currentSessionKey: current_session_key,
        agentId: agent_id,
      },
    })
    const passages = found.hits.map(({ rank, sessionKey, updatedAt, project, excerpt }) => {
      const origin = [updatedAt.slice(0, 10), label(project ?? '')].filter(Boolean).join(', ')
      return `${rank}. [${origin}] ${oneLine(excerpt, maxExcerpt)}\n   (session ${label(sessionKey)})`
    })
    const text = passages.length > 0 ? passages.join('\n') : 'No match in earlier sessions.'
    return { text, data: found }
  },
})

const sessionBypass = tool({
  name: 'session_bypass',
  title: 'Pause hooks',
  description: 'Stop (enabled true) or resume (false) the hooks of one session. Only if the user asks.',
  tier: 'extra',
  effect: 'adds',
  input: contract.sessionBypassInput,
  output: contract.sessionBypassOutput,
  remedies: {
    not_found: 'No session has that key: use the key in the session context, or ask the user.',
  },
  run: async (call, { session_key, enabled }) => {
    const { key, bypassed } = await call('POST /api/sessions/:key/bypass', {
      params: { key: session_key },
      body: { enabled },
    })
    const text = bypassed
      ? `The hooks of session ${label(key)} are paused.`
      : `The hooks of session ${label(key)} are active again.`
    return { text, data: { key, bypassed } }
  },
})

/** Tools on sessions (mcp.md 4.9). */
export const sessionTools: readonly Tool[] = [sessionList, sessionSearch, sessionBypass]
