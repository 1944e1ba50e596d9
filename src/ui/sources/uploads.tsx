import { Progress } from '../parts/progress.js'
import { addressOf } from '../routing/place.js'
import { forgetUploads, uploadFiles, uploads } from './upload-files.js'
import type { Upload } from './upload-queue.js'

const words = {
  waiting: 'waits',
  sending: 'is read…',
  imported: 'imported',
  duplicate: 'was here already',
  failed: 'failed',
} as const

const tones = { waiting: 'dim', sending: 'dim', imported: 'good', duplicate: 'warn', failed: 'bad' } as const

/** Files that are being imported, each with what became of it. */
export function Uploads() {
  const all = uploads.value
  if (all.length === 0) return null
  const done = all.filter(({ state }) => state !== 'waiting' && state !== 'sending').length
  return (
    <section class="card" aria-label="Files that are imported">
      <div class="line">
        <h2>Files</h2>
        <Progress label="Files imported" done={done} total={all.length} />
        {done > 0 && (
          <button type="button" class="plain" onClick={forgetUploads}>
            Clear
          </button>
        )}
      </div>
      <ul class="plain-list lined uploads">
        {all.map(upload => (
          <li key={upload.id}>
            <Told upload={upload} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Told({ upload: { file, state, reason, sourceId } }: { upload: Upload }) {
  return (
    <>
      <span class="words">
        {sourceId ? <a href={addressOf('sources', ['source', sourceId])}>{file.name}</a> : file.name}
      </span>{' '}
      <span class={tones[state]}>{words[state]}</span>
      {state === 'duplicate' && (
        <button type="button" class="plain" onClick={() => uploadFiles([file], 'replace')}>
          Read it anew
        </button>
      )}
      {reason && <p class="words">{reason}</p>}
    </>
  )
}
