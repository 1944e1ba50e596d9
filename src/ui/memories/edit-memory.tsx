import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { showMessage } from '../parts/toast.js'
import type { MemoryRecord } from './row.js'
import { tagsOf } from './row.js'

interface Fields {
  tags: string[]
  importance: number
  pinned: boolean
}

/** Edits tags, importance and pin of one memory. Its text can only be superseded with another memory. */
export function EditMemory({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  const before = { tags: tagsOf(memory.tags), importance: memory.importance, pinned: memory.pinned === 1 }
  const [tags, setTags] = useState(memory.tags)
  const [importance, setImportance] = useState(before.importance)
  const [pinned, setPinned] = useState(before.pinned)
  const act = async (reason: string) => {
    const reply = await patch(memory.id, { tags: tagsOf(tags), importance, pinned }, reason, memory.version)
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

async function patch(id: string, fields: Fields, reason: string, version: number | undefined) {
  const body = { ...fields, reason, if_version: version }
  const reply = await call('PATCH /api/memory/:id', { params: { id }, body })
  changes.value++
  return reply
}
