import { useState } from 'preact/hooks'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed, useLoaded } from '../api/loaded.js'
import { useProjectNames } from '../api/project-names.js'
import { may } from '../api/session.js'
import { Command } from '../parts/command.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { type Agent, AgentDialog, NewAgent, readPolicyText } from './agent-dialog.js'

const columns: readonly Column<Agent>[] = [
  { title: 'Agent', width: 'minmax(7rem, 1fr)', cell: ({ name }) => name },
  { title: 'Also reads', width: 'minmax(9rem, 1fr)', cell: readPolicyText },
  { title: 'Group', width: '10rem', wide: true, cell: ({ policy_group: group }) => group ?? '' },
  { title: 'Created', width: '10rem', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
]

/** The agents, with the active ones. */
export function Agents() {
  const [open, setOpen] = useState<Agent>()
  const [isAdding, setAdding] = useState(false)
  const loaded = useLoaded(signal => call('GET /api/agents', {}, { signal }), [changes.value])
  const agents = loaded.value?.agents
  return (
    <>
      <Presence />
      <section class="list-below" aria-label="All agents">
        <div class="head-line">
          <h2>All agents</h2>
          {may('remember') && (
            <button type="button" onClick={() => setAdding(true)}>
              Add an agent…
            </button>
          )}
        </div>
        {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
        {!agents && !loaded.error && <Loading />}
        {agents?.length === 0 && (
          <p class="dim">
            No agents yet. They appear here once they save a memory. Connect one with{' '}
            <Command text="memory connect" />.
          </p>
        )}
        {agents && agents.length > 0 && (
          <VirtualTable
            label="Agents"
            columns={columns}
            count={agents.length}
            rowAt={position => agents[position]}
            keyOf={({ id }) => id}
            onOpen={setOpen}
          />
        )}
      </section>
      {open && <AgentDialog agent={open} onClose={() => setOpen(undefined)} />}
      {isAdding && <NewAgent onClose={() => setAdding(false)} />}
    </>
  )
}

const shown = 50

/** Live sessions of every visible agent. */
function Presence() {
  const nameOf = useProjectNames()
  const loaded = useFollowed(
    signal =>
      call('GET /api/cross-agent/presence', { query: { include_self: true, limit: shown } }, { signal }),
    [],
    () => false,
  )
  const sessions = loaded.value?.sessions
  return (
    <section class="card" aria-label="Active">
      <h2>Active</h2>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {sessions?.length === 0 && (
        <p class="dim">
          No active sessions. Connect a coding agent with <Command text="memory connect" />.
        </p>
      )}
      {sessions && sessions.length > 0 && (
        <ul class="plain-list lined presence">
          {sessions.map(({ key, agentId, harness, project, seenAt }) => (
            <li key={`${agentId} ${key}`} class="line">
              <a href={addressOf('sessions', [key], { agent: agentId })}>{agentId}</a>
              <span>{labelOf('harness', harness)}</span>
              <span class="dim words">
                {nameOf(project) || 'no project'}, seen <Time at={seenAt} />
              </span>
              <a href={addressOf('tasks', ['messages'], { agent: agentId })}>Messages</a>
            </li>
          ))}
        </ul>
      )}
      {sessions?.length === shown && <p class="dim">Showing the {shown} most recent.</p>}
    </section>
  )
}
