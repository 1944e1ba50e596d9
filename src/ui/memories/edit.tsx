import { useState } from 'preact/hooks'
import type { Request } from '../../contract/api.js'
import { memoryTypes } from '../../contract/ground/wire-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { changes } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { showMessage } from '../parts/toast.js'
import { type MemoryRecord, tagsOf } from './row.js'

type Remember = NonNullable<Request<'POST /api/memory/remember'>['body']>

interface Fields {
  project?: string | undefined
  tags: string[]
  importance: number
  pinned: boolean
}

function fieldsOf({ tags, importance, pinned, project }: MemoryRecord): Fields {
  return { tags: tagsOf(tags), importance, pinned: pinned === 1, project: project ?? undefined }
}

/** Edits one memory. Its text and type never change, so another type is a new version with the same text. */
export function EditMemory({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  const before = fieldsOf(memory)
  const [type, setType] = useState(memory.type)
  const [project, setProject] = useState(memory.project ?? '')
  const [tags, setTags] = useState(memory.tags)
  const [importance, setImportance] = useState(before.importance)
  const [pinned, setPinned] = useState(before.pinned)
  const act = async (reason: string) => {
    const fields = { tags: tagsOf(tags), importance, pinned, project: project.trim() || undefined }
    if (type !== memory.type) return retype(memory, { ...fields, type }, reason)
    const reply = await patch(memory.id, fields, reason, memory.version)
    if (reply.status !== 'updated') return showMessage('No changes')
    showMessage('Memory updated', async () => {
      await patch(memory.id, before, 'undone on the web page', reply.newVersion)
    })
  }
  return (
    <Confirm
      title="Edit this memory"
      deed="Save"
      reason="edited on the web page"
      act={act}
      onClose={onClose}
      isMild
    >
      <div class="stack">
        <TypeAndProject
          memory={memory}
          type={type}
          setType={setType}
          project={project}
          setProject={setProject}
        />
        <label>
          Tags, separated by commas
          <input value={tags} onInput={event => setTags(event.currentTarget.value)} />
        </label>
        <label>
          Importance <output>{importance.toFixed(2)}</output>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value={importance}
            onInput={event => setImportance(Number(event.currentTarget.value))}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={pinned}
            onChange={event => setPinned(event.currentTarget.checked)}
          />{' '}
          Pinned: never removed, and shown at every session start
        </label>
      </div>
    </Confirm>
  )
}

interface TypeAndProjectProps {
  memory: MemoryRecord
  type: string
  setType: (type: string) => void
  project: string
  setProject: (project: string) => void
}

function TypeAndProject({ memory, type, setType, project, setProject }: TypeAndProjectProps) {
  return (
    <>
      {memory.superseded_by === null && memory.type !== 'document_chunk' && (
        <label>
          Type
          <select value={type} onChange={event => setType(event.currentTarget.value)}>
            {memoryTypes.map(one => (
              <option key={one} value={one}>
                {labelOf('memoryType', one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Project
        <input value={project} onInput={event => setProject(event.currentTarget.value)} />
      </label>
    </>
  )
}

/** Saves the same text with another type, as a version that replaces the old one. */
async function retype(memory: MemoryRecord, fields: Fields & { type: string }, reason: string) {
  const changed = {
    ...memory,
    ...fields,
    tags: fields.tags.join(','),
    pinned: fields.pinned ? 1 : 0,
    project: fields.project ?? null,
  }
  await call('POST /api/memory/remember', {
    body: bodyOf(changed, memory.verbatim ?? memory.content, reason),
  })
  changes.value++
  showMessage('Type changed. The old version remains in the lineage.')
}

async function patch(id: string, fields: Fields, reason: string, version: number | undefined) {
  const body = { ...fields, reason, if_version: version }
  const reply = await call('PATCH /api/memory/:id', { params: { id }, body })
  changes.value++
  return reply
}

/** Replaces a memory with a corrected one. Recall leaves the old one out, and its page still shows it. */
export function Supersede({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  const given = memory.verbatim ?? memory.content
  const [content, setContent] = useState(given)
  const isSame = content.trim() === given.trim()
  const act = async (reason: string) => {
    await call('POST /api/memory/remember', { body: bodyOf(memory, content, reason) })
    changes.value++
    showMessage('Corrected. The old text remains in the lineage.')
  }
  return (
    <Confirm
      title="Correct this memory"
      deed="Replace"
      reason="corrected on the web page"
      act={act}
      onClose={onClose}
      isReady={content.trim() !== '' && !isSame}
      isMild
    >
      <div class="stack">
        <p class="dim words">Current text: {given}</p>
        <label>
          Correct text
          <textarea rows={5} value={content} onInput={event => setContent(event.currentTarget.value)} />
        </label>
      </div>
    </Confirm>
  )
}

function bodyOf(memory: MemoryRecord, content: string, reason: string) {
  const { id, project, scope, importance, type, agent_id: agentId } = memory
  return {
    content,
    supersedes: id,
    reason,
    importance,
    tags: tagsOf(memory.tags),
    pinned: memory.pinned === 1,
    visibility: memory.visibility === 'private' ? ('private' as const) : ('global' as const),
    ...(type !== 'document_chunk' && { type: type as Remember['type'] }),
    ...(project !== null && { project }),
    ...(scope !== null && { scope }),
    agentId,
  }
}
