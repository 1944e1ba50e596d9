import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { may } from '../api/session.js'
import { Failure } from '../parts/failure.js'
import { Check, Field } from '../parts/field.js'
import { say } from '../parts/toast.js'

type Config = Reply<'GET /api/git/config'>

/** How the workspace is committed and synced by itself. */
export function GitSettings({ config, onSaved }: { config: Config; onSaved: () => void }) {
  const { enabled: _enabled, ...settings } = config
  const [wanted, setWanted] = useState({ ...settings, syncInterval: String(settings.syncInterval) })
  const [error, setError] = useState<ApiError>()
  const change = (fields: Partial<typeof wanted>) => setWanted({ ...wanted, ...fields })
  const save = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    try {
      await call('POST /api/git/config', { body: { ...wanted, syncInterval: Number(wanted.syncInterval) } })
      say('Saved; in force now')
      onSaved()
    } catch (thrown) {
      setError(asApiError(thrown))
    }
  }
  return (
    <form class="stack narrow" onSubmit={save}>
      <h2>By itself</h2>
      <fieldset class="stack" disabled={!may('admin')}>
        <Check checked={wanted.autoCommit} onChange={autoCommit => change({ autoCommit })}>
          Commit what has changed
        </Check>
        <Check checked={wanted.autoSync} onChange={autoSync => change({ autoSync })}>
          Commit, pull and push
        </Check>
        <Field
          label="Every so many seconds"
          value={wanted.syncInterval}
          onInput={syncInterval => change({ syncInterval })}
          required
        />
        <Field label="Remote" value={wanted.remote} onInput={remote => change({ remote })} required />
        <Field label="Branch" value={wanted.branch} onInput={branch => change({ branch })} required />
        {error && <Failure error={error} />}
        {may('admin') && (
          <p>
            <button type="submit">Save</button>
          </p>
        )}
      </fieldset>
    </form>
  )
}
