import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'

interface ForgetProps {
  lines: readonly { id: string }[]
  onClose: () => void
  onDone: () => void
}

/** Maximum number of memories per API batch, and of lines in the preview. */
const batch = 200
const shown = 50

/** Previews the daemon's current data, forgets the memories, and offers to recover them. */
export function Forget({ lines, onClose, onDone }: ForgetProps) {
  const [force, setForce] = useState(false)
  const ids = lines.map(({ id }) => id)
  const preview = useLoaded(() => previewOf(ids), [])
  const candidates = preview.value?.flatMap(({ candidates }) => candidates) ?? []
  const pinned = candidates.filter(candidate => candidate.pinned === 1).length
  const act = async (reason: string) => {
    const forgotten: string[] = []
    for (const { candidates: part, confirmToken } of preview.value ?? []) {
      const body = {
        mode: 'execute',
        ids: part.map(({ id }) => id),
        reason,
        force,
        confirm_token: confirmToken,
      } as const
      const reply = await call('POST /api/memory/forget', { body })
      if (reply.mode === 'execute')
        forgotten.push(...reply.results.filter(({ status }) => status === 'deleted').map(({ id }) => id))
    }
    changes.value++
    onDone()
    const left = ids.length - forgotten.length
    showMessage(
      `Forgot ${forgotten.length}${left > 0 ? `, kept ${left}` : ''}`,
      forgotten.length > 0 ? () => recoverAll(forgotten) : undefined,
    )
  }
  const count = candidates.length
  return (
    <Confirm
      title={`Forget ${count === 1 ? 'this memory' : `${count} memories`}?`}
      deed="Forget"
      reason="wrong or no longer needed"
      act={act}
      onClose={onClose}
      isReady={count > 0}
    >
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!preview.value && !preview.error && <Loading />}
      <ul class="plain-list lined">
        {candidates.slice(0, shown).map(({ id, content, pinned: isPinned }) => (
          <li key={id} class="clip">
            {isPinned === 1 && '★ '}
            {content}
          </li>
        ))}
      </ul>
      {count > shown && <p class="dim">and {count - shown} more</p>}
      <p class="dim">{count === 1 ? 'It' : 'They'} can be recovered for 30 days, also with memory undo.</p>
      {pinned > 0 && (
        <label>
          <input type="checkbox" checked={force} onChange={event => setForce(event.currentTarget.checked)} />{' '}
          Also forget the {pinned} pinned
        </label>
      )}
    </Confirm>
  )
}

interface Preview {
  confirmToken: string
  candidates: { id: string; content: string; pinned: number }[]
}

async function previewOf(ids: readonly string[]): Promise<Preview[]> {
  const parts: Preview[] = []
  for (let start = 0; start < ids.length; start += batch) {
    const part = ids.slice(start, start + batch)
    const body = { mode: 'preview', ids: part, limit: batch } as const
    const reply = await call('POST /api/memory/forget', { body })
    if (reply.mode === 'preview')
      parts.push({ confirmToken: reply.confirmToken, candidates: reply.candidates })
  }
  return parts
}

async function recoverAll(ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += batch)
    await call('POST /api/memory/recover', {
      body: { ids: ids.slice(start, start + batch), reason: 'forgotten by mistake' },
    })
  changes.value++
}
