import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { showFailure, showMessage } from '../parts/toast.js'
import { countText, Fact, Time } from '../parts/values.js'

type Status = Reply<'GET /api/git/status'>

const shownPaths = 20

/** The workspace as a git repository. */
export function Git() {
  const { value, error, reload } = useLoaded(
    signal =>
      Promise.all([call('GET /api/git/status', {}, { signal }), call('GET /api/git/config', {}, { signal })]),
    [],
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  const [status, config] = value
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {status.waitingSettings.length > 0 && may('admin') && <WaitingSettings onDecided={reload} />}
      {status.enabled ? (
        <Repository status={status} onChanged={reload} />
      ) : (
        <InitRepository onDone={reload} />
      )}
      {status.enabled && <GitSettings config={config} onSaved={reload} />}
    </>
  )
}

const actions = { sync: 'Sync', pull: 'Pull', push: 'Push' } as const
type Action = keyof typeof actions

function Repository({ status, onChanged }: { status: Status; onChanged: () => void }) {
  return (
    <section class="stack" aria-label="Repository">
      {status.problem && <p class="banner">{status.problem}</p>}
      <dl class="facts">
        <Fact title="Branch">
          {status.branch ?? '–'} {aheadBehind(status)}
        </Fact>
        <Fact title="Remote">{status.remoteUrl ?? 'none (local only)'}</Fact>
        <Fact title="Last commit">
          {status.lastCommit ? (
            <>
              {status.lastCommit.message} <Time at={status.lastCommit.at} />
            </>
          ) : (
            'none yet'
          )}
        </Fact>
        {status.lastRun && (
          <Fact title="Last run">
            {status.lastRun.action} <Time at={status.lastRun.at} />{' '}
            <span class={status.lastRun.success ? 'good' : 'bad'}>
              {status.lastRun.success ? 'succeeded' : (status.lastRun.error ?? 'failed')}
            </span>
          </Fact>
        )}
        <Fact title="Uncommitted">
          {status.uncommittedCount === 0 ? 'none' : countText(status.uncommittedCount, 'file')}
          <Paths paths={status.uncommitted} />
        </Fact>
        {status.leftOut.length > 0 && (
          <Fact title="Excluded">
            <Paths paths={status.leftOut.map(({ path, reason }) => `${path}: ${reason}`)} />
          </Fact>
        )}
      </dl>
      {may('admin') && <Actions onDone={onChanged} />}
    </section>
  )
}

function Actions({ onDone }: { onDone: () => void }) {
  const [running, setRunning] = useState<Action>()
  const run = async (action: Action) => {
    setRunning(action)
    try {
      const { success, output, error } = await call(`POST /api/git/${action}`)
      if (success) showMessage(output.trim() === '' ? 'Nothing to do' : output)
      else throw new Error(error ?? output)
    } catch (thrown) {
      showFailure(thrown)
    }
    setRunning(undefined)
    onDone()
  }
  return (
    <p class="line">
      {(Object.keys(actions) as Action[]).map(action => (
        <button
          key={action}
          type="button"
          class={action === 'sync' ? undefined : 'plain'}
          disabled={running !== undefined}
          onClick={() => run(action)}
        >
          {running === action ? 'Running…' : actions[action]}
        </button>
      ))}
      <span class="dim">Sync commits changes, pulls and pushes.</span>
    </p>
  )
}

function aheadBehind({ ahead, behind }: Status): string {
  if (ahead === null || behind === null) return ''
  if (ahead === 0 && behind === 0) return 'up to date'
  return [ahead > 0 && `${ahead} to push`, behind > 0 && `${behind} to pull`].filter(Boolean).join(', ')
}

type Config = Reply<'GET /api/git/config'>

/** Settings for automatic commits and syncs. */
function GitSettings({ config, onSaved }: { config: Config; onSaved: () => void }) {
  const { enabled: _enabled, ...settings } = config
  const [wanted, setWanted] = useState({ ...settings, syncInterval: String(settings.syncInterval) })
  const [error, setError] = useState<ApiError>()
  const change = (fields: Partial<typeof wanted>) => setWanted({ ...wanted, ...fields })
  const save = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    try {
      await call('POST /api/git/config', { body: { ...wanted, syncInterval: Number(wanted.syncInterval) } })
      showMessage('Settings saved')
      onSaved()
    } catch (thrown) {
      setError(asApiError(thrown))
    }
  }
  return (
    <form class="stack narrow" onSubmit={save}>
      <h2>Automatic</h2>
      <fieldset class="stack" disabled={!may('admin')}>
        <Check checked={wanted.autoCommit} onChange={autoCommit => change({ autoCommit })}>
          Commit changes
        </Check>
        <Check checked={wanted.autoSync} onChange={autoSync => change({ autoSync })}>
          Commit, pull and push
        </Check>
        <Field
          label="Interval in seconds"
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

type Decision = 'accept' | 'refuse'
type Setting = Reply<'GET /api/git/settings'>['settings'][number]

/** Security settings of agent.yaml that a person accepts or refuses. */
function WaitingSettings({ onDecided }: { onDecided: () => void }) {
  const { value, error, reload } = useLoaded(signal => call('GET /api/git/settings', {}, { signal }), [])
  if (error) return <Failure error={error} retry={reload} />
  if (!value || value.settings.length === 0) return null
  const decide = async (decision: Decision) => {
    try {
      await call('POST /api/git/settings', { body: { decision, version: value.version } })
      showMessage(
        decision === 'accept' ? 'The settings are in force' : 'agent.yaml has the settings in force',
      )
    } catch (thrown) {
      showFailure(thrown)
    }
    reload()
    onDecided()
  }
  return (
    <section class="stack" aria-label="Settings that wait">
      <h2>Settings that wait for your yes</h2>
      <p>
        agent.yaml has other security settings than those in force. Accept them only if you know where they
        come from.
      </p>
      <table>
        <thead>
          <tr>
            <th>Setting</th>
            <th>In force</th>
            <th>In agent.yaml</th>
          </tr>
        </thead>
        <tbody>
          {value.settings.map(setting => (
            <Row key={setting.key} setting={setting} />
          ))}
        </tbody>
      </table>
      <p class="line">
        <button type="button" onClick={() => decide('accept')}>
          Accept
        </button>
        <button type="button" class="plain" onClick={() => decide('refuse')}>
          Refuse
        </button>
        <span class="dim">Possible on the machine of the daemon only.</span>
      </p>
    </section>
  )
}

function Row({ setting: { key, before, after } }: { setting: Setting }) {
  return (
    <tr>
      <td>{key}</td>
      <td>{before ?? 'not set'}</td>
      <td>{after ?? 'not set'}</td>
    </tr>
  )
}

/** Creates a repository after a preview of the first commit. */
function InitRepository({ onDone }: { onDone: () => void }) {
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

/** The first paths of a long list. */
function Paths({ paths }: { paths: readonly string[] }) {
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
