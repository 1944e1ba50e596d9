import { useState } from 'preact/hooks'
import type { Request } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { showMessage } from '../parts/toast.js'
import type { MemoryRecord } from './row.js'
import { tagsOf } from './row.js'

type Remember = NonNullable<Request<'POST /api/memory/remember'>['body']>

/** Corrects a memory: a new one replaces it, and the old one remains readable but is no longer recalled. */
export function Supersede({ memory, onClose }: { memory: MemoryRecord; onClose: () => void }) {
  const [content, setContent] = useState(memory.content)
  const isSame = content.trim() === memory.content.trim()
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
        <p class="dim">Current text: {memory.content}</p>
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
