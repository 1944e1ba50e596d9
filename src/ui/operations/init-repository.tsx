import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Field } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { countText } from '../parts/values.js'

/** Creates a repository after a preview of the first commit. */
export function InitRepository({ onDone }: { onDone: () => void }) {
  const [remote, setRemote] = useState('')
  const [isAsking, setAsking] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    setAsking(true)
  }
  return (
    <>
      <Empty title="The workspace is not a git repository">
        <p>
          The repository contains settings, Markdown, skills and transcripts, but never the database or
          secrets.
        </p>
      </Empty>
      {may('admin') && (
        <form class="stack narrow" onSubmit={submit}>
          <Field
            label="Remote URL"
            value={remote}
            onInput={setRemote}
            placeholder="git@host:me/memory.git"
            hint="Optional. Without a remote the repository stays on this machine."
          />
          <p>
            <button type="submit">Preview…</button>
          </p>
        </form>
      )}
      {isAsking && <Preview remote={remote.trim()} onClose={() => setAsking(false)} onDone={onDone} />}
    </>
  )
}

function Preview({ remote, onClose, onDone }: { remote: string; onClose: () => void; onDone: () => void }) {
  const body = remote === '' ? {} : { remoteUrl: remote }
  const preview = useLoaded(
    signal => call('POST /api/git/init', { body: { ...body, dryRun: true } }, { signal }),
    [],
  )
  const act = async () => {
    const { success, error, output } = await call('POST /api/git/init', { body })
    if (!success) throw new Error(error ?? output)
    showMessage(output)
    onDone()
  }
  return (
    <Confirm
      title="Create a repository in the workspace?"
      deed="Create"
      isMild
      isReady={preview.value?.success === true}
      act={act}
      onClose={onClose}
    >
      {preview.error && <Failure error={preview.error} />}
      {!preview.value && !preview.error && <Loading />}
      {preview.value && (
        <>
          {preview.value.error && <p class="bad">{preview.value.error}</p>}
          <p>The first commit contains {countText(preview.value.files.length, 'file')}:</p>
          <Paths paths={preview.value.files} />
          {preview.value.leftOut.length > 0 && <p>Excluded:</p>}
          <Paths paths={preview.value.leftOut.map(({ path, reason }) => `${path}: ${reason}`)} />
        </>
      )}
    </Confirm>
  )
}

const shownPaths = 20

/** The first paths of a long list. */
export function Paths({ paths }: { paths: readonly string[] }) {
  return (
    <ul class="plain-list paths">
      {paths.slice(0, shownPaths).map(path => (
        <li key={path} class="words">
          <code>{path}</code>
        </li>
      ))}
      {paths.length > shownPaths && (
        <li class="dim">and {(paths.length - shownPaths).toLocaleString()} more</li>
      )}
    </ul>
  )
}
