import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { Command, LongText } from '../parts/values.js'

type Agent = Reply<'GET /api/harnesses/connections'>['harnesses'][number]

/** A button that connects coding agents, and the command that does the same. */
export function ConnectAgents() {
  const [isOpen, setOpen] = useState(false)
  return (
    <span class="line">
      {may('admin') && (
        <button type="button" onClick={() => setOpen(true)}>
          Connect an agent…
        </button>
      )}
      <Command text="memory connect" />
      {isOpen && <AgentsDialog onClose={() => setOpen(false)} />}
    </span>
  )
}

const stateWords: Readonly<Record<string, string>> = {
  installed: 'not connected',
  outdated: 'connected, needs an update',
  plugin: 'connected by its plug-in',
  unreadable: 'settings cannot be read',
  'by-hand': 'connected by hand',
}

/** The coding agents of this machine. */
function AgentsDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<Agent>()
  const found = useLoaded(signal => call('GET /api/harnesses/connections', {}, { signal }), [changes.value])
  if (chosen) return <ConnectDialog agent={chosen} onClose={() => setChosen(undefined)} />
  const agents = found.value?.harnesses.filter(({ state }) => state !== 'by-hand') ?? []
  return (
    <Dialog title="Coding agents on this machine" onClose={onClose}>
      {found.error && <Failure error={found.error} retry={found.reload} />}
      {!found.value && !found.error && <Loading words="Looking for coding agents…" />}
      {found.value && agents.length === 0 && (
        <p>
          No coding agent was found here. Install one, or connect an MCP client by hand:{' '}
          <Command text="memory connect --list" />
        </p>
      )}
      <ul class="plain-list lined">
        {agents.map(agent => (
          <li key={agent.harness} class="ends">
            <div>
              <strong>{agent.title}</strong>{' '}
              <span class={agent.state === 'connected' ? 'good' : 'dim'}>
                {stateWords[agent.state] ?? agent.state}
              </span>
              <p class="words dim">{agent.evidence}</p>
            </div>
            {(agent.state === 'installed' || agent.state === 'outdated') && (
              <button type="button" aria-label={`Connect ${agent.title}`} onClick={() => setChosen(agent)}>
                Connect…
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The changes of an agent's files, as `memory connect` shows them, and their confirmation. */
function ConnectDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { harness, title } = agent
  const preview = useLoaded(
    signal => call('POST /api/harnesses/connect', { body: { harness, dryRun: true } }, { signal }),
    [harness],
  )
  const act = async () => {
    await call('POST /api/harnesses/connect', { body: { harness } })
    showMessage(`${title} is connected. Restart its running sessions.`)
    changes.value++
  }
  return (
    <Confirm
      title={`Connect ${title}?`}
      deed="Connect"
      isMild
      isReady={preview.value !== undefined && !preview.isLoading}
      act={act}
      onClose={onClose}
    >
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!preview.value && !preview.error && <Loading words="Reading its settings…" />}
      {preview.value?.files.map(({ path, action, diff }) => (
        <div key={path} class="stack">
          <p class="words">
            <strong>{action}</strong> <code>{path}</code>
          </p>
          <LongText label={`Changes of ${path}`} text={diff} />
        </div>
      ))}
      {preview.value && (
        <p class="dim">
          Nothing else in a file is touched. Undo it with <Command text={`memory disconnect ${harness}`} />
        </p>
      )}
    </Confirm>
  )
}

/** A button that imports the earlier sessions of all coding agents here, and the command for it. */
export function ImportSessions() {
  const [isOpen, setOpen] = useState(false)
  return (
    <span class="line">
      {may('admin') && (
        <button type="button" onClick={() => setOpen(true)}>
          Import this machine's sessions…
        </button>
      )}
      <Command text="memory import" />
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </span>
  )
}

type Imports = Reply<'POST /api/harnesses/sessions'>['imports']

function ImportDialog({ onClose }: { onClose: () => void }) {
  const preview = useLoaded(
    signal => call('POST /api/harnesses/sessions', { body: { dryRun: true } }, { signal }),
    [],
  )
  const found = preview.value?.imports
  const isEmpty = found !== undefined && sumOf(found) === 0
  const act = async () => {
    const { imports } = await call('POST /api/harnesses/sessions', { body: {} })
    showMessage(`Imported ${countOf(sumOf(imports), 'session')}`)
    changes.value++
  }
  return (
    <Confirm
      title="Import the sessions of this machine?"
      deed={found && !isEmpty ? `Import ${countOf(sumOf(found), 'session')}` : 'Import'}
      isMild
      isReady={found !== undefined && !isEmpty}
      act={act}
      onClose={onClose}
    >
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!found && !preview.error && <Loading words="Looking for earlier sessions…" />}
      {isEmpty && (
        <p>Nothing new was found. Earlier sessions of the coding agents here are imported already.</p>
      )}
      <ul class="plain-list">
        {found?.map(({ from, sessions, imported }) => (
          <li key={from} class="ends">
            <strong>{labelOf('harness', from)}</strong>
            <span>
              {countOf(imported, 'session')}
              {sessions > imported && `, ${sessions - imported} known already`}
            </span>
          </li>
        ))}
      </ul>
      <p class="dim">They are read once and stay on this machine; the files of the agents are not changed.</p>
    </Confirm>
  )
}

function sumOf(imports: Imports): number {
  return imports.reduce((sum, { imported }) => sum + imported, 0)
}
