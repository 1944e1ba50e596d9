import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Select } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { runAndReport, showFailure, showMessage } from '../parts/toast.js'
import { Command, Fact, SafeLink, Time } from '../parts/values.js'

type UpdateState = Reply<'GET /api/diagnostics'>['update']
type Config = Reply<'GET /api/update/config'>
type CheckReply = Reply<'GET /api/update/check'>
type Outcome = Reply<'POST /api/update/run'>

/** The installed and the newest release. Opening the page contacts no server; that takes a click. */
export function Update() {
  const [checked, setChecked] = useState<CheckReply>()
  const [isChecking, setChecking] = useState(false)
  const { value, error, reload } = useLoaded(async signal => {
    const [{ update }, config] = await Promise.all([
      call('GET /api/diagnostics', {}, { signal }),
      call('GET /api/update/config', {}, { signal }),
    ])
    return { known: update, config }
  }, [])
  const check = async () => {
    setChecking(true)
    await call('GET /api/update/check', { query: { force: 'true' } }).then(setChecked, showFailure)
    setChecking(false)
    reload()
  }
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <Release known={value.known} checked={checked} />
      <p class="line">
        <button type="button" class="plain" disabled={isChecking} onClick={check}>
          {isChecking ? 'Checking…' : 'Check for updates'}
        </button>
        {may('admin') && value.known.updateAvailable && value.known.latestVersion !== null && (
          <Install version={value.known.latestVersion} onDone={reload} />
        )}
      </p>
      <UpdateSettings key={JSON.stringify(value.config)} config={value.config} onSaved={reload} />
    </>
  )
}

function Release({ known, checked }: { known: UpdateState; checked: CheckReply | undefined }) {
  const failed = checked?.error ?? known.lastError
  return (
    <section class="stack" aria-label="Release">
      {known.restartRequired && (
        <p class="banner">
          {known.pendingVersion} is installed. Restart to activate it:{' '}
          <Command text="memory daemon restart" />
        </p>
      )}
      <dl class="facts">
        <Fact title="Installed">{known.currentVersion}</Fact>
        <Fact title="Latest">
          {known.latestVersion ?? 'Not checked yet'}{' '}
          {known.latestVersion !== null && (
            <span class={known.updateAvailable ? 'warn' : 'good'}>
              {known.updateAvailable ? 'update available' : 'up to date'}
            </span>
          )}
        </Fact>
        <Fact title="Checked">
          <Time at={known.checkedAt} />
        </Fact>
        {checked?.releaseUrl && (
          <Fact title="Release page">
            <SafeLink address={checked.releaseUrl} />
          </Fact>
        )}
        {checked?.releaseNotes && (
          <Fact title="Release notes">
            <span class="words">{checked.releaseNotes}</span>
          </Fact>
        )}
        {failed && (
          <Fact title="Last failure">
            <span class="bad words">{failed}</span>
          </Fact>
        )}
      </dl>
    </section>
  )
}

function Install({ version, onDone }: { version: string; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [failed, setFailed] = useState<Outcome>()
  const act = async () => {
    const outcome = await call('POST /api/update/run')
    if (outcome.success) showMessage(outcome.message)
    else setFailed(outcome)
    onDone()
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Install {version}…
      </button>
      {isAsking && (
        <Confirm
          title={`Install ${version}?`}
          deed="Install"
          isMild
          act={act}
          onClose={() => setAsking(false)}
        >
          <p>
            The new version is installed the same way as the current one and verified. It becomes active after
            a restart.
          </p>
        </Confirm>
      )}
      {failed && (
        <div class="failure" role="alert">
          <p>
            <strong>{failed.message}</strong>
          </p>
          {failed.command && (
            <p>
              Run it manually: <code>{failed.command}</code>
            </p>
          )}
          {failed.output && <pre class="words">{failed.output}</pre>}
        </div>
      )}
    </>
  )
}

/** Settings for automatic updates. */
function UpdateSettings({ config, onSaved }: { config: Config; onSaved: () => void }) {
  const save = (body: Partial<Pick<Config, 'autoCheck' | 'autoInstall' | 'channel'>>) =>
    runAndReport(() => call('POST /api/update/config', { body }), 'Settings saved', onSaved)
  return (
    <fieldset class="stack narrow" disabled={!may('admin')}>
      <legend>
        <h2>Automatic updates</h2>
      </legend>
      <Check checked={config.autoCheck} onChange={autoCheck => save({ autoCheck })}>
        Check for updates every {Math.round(config.checkInterval / 360) / 10} hours
      </Check>
      <Check checked={config.autoInstall} onChange={autoInstall => save({ autoInstall })}>
        Install updates
      </Check>
      <Select
        label="Channel"
        value={config.channel}
        options={{ stable: 'stable', nightly: 'nightly' }}
        onChoose={channel => save({ channel })}
      />
      {config.lastAutoUpdateAt && (
        <p class="dim">
          Last automatic update <Time at={config.lastAutoUpdateAt} />
        </p>
      )}
      {config.lastAutoUpdateError && <p class="bad words">{config.lastAutoUpdateError}</p>}
    </fieldset>
  )
}
