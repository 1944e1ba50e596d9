import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Field, Select } from '../parts/fields.js'
import { Failure } from '../parts/placeholders.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'

export type Project = Reply<'GET /api/projects'>['projects'][number]

interface ProjectDialogProps {
  project: Project
  /** Projects it can be joined with. */
  others: readonly Project[]
  onClose: () => void
}

/** One project: its keys, places and changes, and what can be done with it. */
export function ProjectDialog({ project, others, onClose }: ProjectDialogProps) {
  const [asked, setAsked] = useState<'rename' | 'join' | 'split'>()
  const back = () => setAsked(undefined)
  if (asked === 'rename') return <Rename project={project} onClose={back} />
  if (asked === 'join') return <JoinProject project={project} others={others} onClose={back} />
  if (asked === 'split') return <Split project={project} onClose={back} />
  return (
    <Dialog title={project.name} onClose={onClose}>
      <div class="stack">
        <dl class="facts">
          <Fact title="Key">{project.key}</Fact>
          {project.keys.length > 1 && (
            <Fact title="Also">{project.keys.filter(key => key !== project.key).join(', ')}</Fact>
          )}
          <Fact title="Places">{project.places.map(({ path }) => path).join(', ') || 'none here'}</Fact>
          <Fact title="Sessions">{project.sessions}</Fact>
          <Fact title="Last used">
            <Time at={project.usedAt} />
          </Fact>
        </dl>
        <p>
          <a href={addressOf('memories', [], { project: project.key })}>
            Memories ({project.memories.toLocaleString()})
          </a>
        </p>
        <Changes project={project} />
        {may('admin') && (
          <footer>
            <button type="button" class="plain" onClick={() => setAsked('rename')}>
              Rename…
            </button>
            {partsOf(project).length > 0 && (
              <button type="button" class="plain" onClick={() => setAsked('split')}>
                Split…
              </button>
            )}
            {others.length > 0 && (
              <button type="button" onClick={() => setAsked('join')}>
                Join…
              </button>
            )}
          </footer>
        )}
      </div>
    </Dialog>
  )
}

/** The latest changes of a project; joins and splits can be undone. */
function Changes({ project }: { project: Project }) {
  const loaded = useLoaded(
    signal => call('GET /api/projects', { query: { project: project.key, history: true } }, { signal }),
    [project.key, changes.value],
  )
  const undo = (id: string) =>
    runAndReport(
      () => call('POST /api/projects/undo', { body: { id } }),
      'Undone',
      () => changes.value++,
    )
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />
  const history = loaded.value?.history ?? []
  if (history.length === 0) return null
  return (
    <section aria-label="Changes">
      <h3>Changes</h3>
      <ul class="plain-list lined">
        {history.map(({ id, kind, text, at, undoneAt }) => (
          <li key={id} class="line">
            <span class="words">{text}</span>
            <span class="dim">
              <Time at={at} />
              {undoneAt && ', undone'}
            </span>
            {!undoneAt && (kind === 'join' || kind === 'split') && may('admin') && (
              <button type="button" class="plain" onClick={() => undo(id)}>
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Rename({ project, onClose }: { project: Project; onClose: () => void }) {
  const [name, setName] = useState(project.name)
  const act = async () => {
    await call('PATCH /api/projects', { body: { project: project.key, name: name.trim() } })
    changes.value++
    showMessage(`Renamed to ${name.trim()}`)
  }
  const isReady = name.trim() !== '' && name.trim() !== project.name
  return (
    <Confirm
      title={`Rename ${project.name}`}
      deed="Rename"
      act={act}
      onClose={onClose}
      isReady={isReady}
      isMild
    >
      <Field label="Name" value={name} onInput={setName} hint="The key stays the same." required />
    </Confirm>
  )
}

/** Places and further keys of a project, which can become a project of their own. */
function partsOf({ key, keys, places }: Project): string[] {
  return [...new Set([...places.map(({ path }) => path), ...keys])].filter(part => part !== key)
}

function Split({ project, onClose }: { project: Project; onClose: () => void }) {
  const parts = partsOf(project)
  const [part, setPart] = useState(parts[0] ?? '')
  const act = async () => {
    const { project: added } = await call('POST /api/projects/split', {
      body: { project: project.key, part },
    })
    changes.value++
    showMessage(`${added.name} is a project of its own`)
  }
  return (
    <Confirm title={`Split ${project.name}`} deed="Split" act={act} onClose={onClose} isMild>
      <Select
        label="Place or key"
        value={part}
        options={Object.fromEntries(parts.map(one => [one, one]))}
        onChoose={setPart}
      />
      <p class="dim">It becomes a project of its own. You can undo this.</p>
    </Confirm>
  )
}

interface JoinProjectProps {
  project: Project
  others: readonly Project[]
  onClose: () => void
}

/** Shows what a join of a project into another one moves, and joins them. */
function JoinProject({ project, others, onClose }: JoinProjectProps) {
  const [into, setInto] = useState(others[0]?.key ?? '')
  const body = { from: project.key, into }
  const preview = useLoaded(
    signal => call('POST /api/projects/join', { body: { ...body, dryRun: true } }, { signal }),
    [project.key, into],
  )
  const act = async () => {
    const { id, into: target } = await call('POST /api/projects/join', { body })
    changes.value++
    // The dialog of the joined project would cover the message with the undo.
    navigate(addressOf('projects'))
    showMessage(`${project.name} joined with ${target.name}`, async () => {
      if (id) await call('POST /api/projects/undo', { body: { id } })
      changes.value++
    })
  }
  const isReady = preview.value !== undefined && !preview.isLoading && !preview.error
  return (
    <Confirm title={`Join ${project.name}`} deed="Join" act={act} onClose={onClose} isReady={isReady} isMild>
      <Select
        label="With"
        value={into}
        options={Object.fromEntries(
          others.map(({ key, name }) => [key, name === key ? name : `${name} (${key})`]),
        )}
        onChoose={setInto}
      />
      {preview.error && <Failure error={preview.error} />}
      {preview.value && (
        <div role="status">
          <p>
            {countOf(preview.value.memories, 'memory', 'memories')} and{' '}
            {countOf(preview.value.sessions, 'session')} move to {preview.value.into.name}, with these keys
            and places:
          </p>
          <ul>
            {[...new Set([...preview.value.keys, ...preview.value.places])].map(part => (
              <li key={part} class="words">
                {part}
              </li>
            ))}
          </ul>
          <p class="dim">You can undo this.</p>
        </div>
      )}
    </Confirm>
  )
}
