import { useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Failure } from '../parts/failure.js'
import { Select } from '../parts/fields/field.js'
import { showMessage } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import type { Project } from './project.js'

interface JoinProjectProps {
  project: Project
  others: readonly Project[]
  onClose: () => void
}

/** Shows what a join of a project into another one moves, and joins them. */
export function JoinProject({ project, others, onClose }: JoinProjectProps) {
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
