import { useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { ApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Check, Field, JsonFileField, Select } from '../parts/fields.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { saveAs } from '../parts/save-as.js'
import { showMessage } from '../parts/toast.js'
import { Command, Fact } from '../parts/values.js'

const states = {
  none: 'empty',
  open: 'open',
  locked: 'locked: enter its passphrase',
  damaged: 'damaged',
  unavailable: 'encryption key not accessible',
} as const

const tones = { none: 'dim', open: 'good', locked: 'warn', damaged: 'bad', unavailable: 'bad' } as const

const sources = {
  keyfile: 'a file on this machine',
  keychain: 'the system keychain',
  passphrase: 'a passphrase',
} as const

type DialogName = 'unlock' | 'protect' | 'rotate' | 'export' | 'import'

/** The state of the encrypted store, and the location of its key. */
export function Store() {
  const [deed, setDeed] = useState<DialogName>()
  const loaded = useLoaded(signal => call('GET /api/secrets/store/status', {}, { signal }), [changes.value])
  const end = () => setDeed(undefined)
  const { value: status, error } = loaded
  if (error) return <Failure error={error} retry={loaded.reload} />
  if (!status) return <Loading />
  return (
    <section class="card" aria-label="Store">
      <dl class="facts">
        <Fact title="State">
          <span class={tones[status.state]}>{states[status.state]}</span>
        </Fact>
        {status.problem && <Fact title="Problem">{status.problem}</Fact>}
        <Fact title="Encryption key">{status.source === null ? 'unknown' : sources[status.source]}</Fact>
        <Fact title="Secrets">{status.secrets ?? 'unknown'}</Fact>
      </dl>
      <p class="line">
        {status.state === 'locked' && (
          <button type="button" onClick={() => setDeed('unlock')}>
            Unlock…
          </button>
        )}
        <button type="button" class="plain" onClick={() => setDeed('protect')}>
          Move key…
        </button>
        {status.state === 'open' && (
          <button type="button" class="plain" onClick={() => setDeed('rotate')}>
            Rotate keys…
          </button>
        )}
      </p>
      {status.state !== 'locked' && (
        <p class="line">
          {status.state === 'open' && (
            <button type="button" class="plain" onClick={() => setDeed('export')}>
              Export…
            </button>
          )}
          <button type="button" class="plain" onClick={() => setDeed('import')}>
            Import…
          </button>
          <span class="dim">Move all secrets to another machine in a passphrase-protected file.</span>
        </p>
      )}
      {deed === 'unlock' && <Unlock onClose={end} />}
      {deed === 'protect' && <Protect onClose={end} />}
      {deed === 'rotate' && <Rotate onClose={end} />}
      {deed === 'export' && <ExportSecrets onClose={end} />}
      {deed === 'import' && <ImportSecrets onClose={end} />}
    </section>
  )
}

function Unlock({ onClose }: { onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const act = async () => {
    await call('POST /api/secrets/store/unlock', { body: { passphrase } })
    changes.value++
    showMessage('Unlocked until the daemon stops')
  }
  return (
    <Confirm
      title="Unlock the store"
      deed="Unlock"
      act={act}
      onClose={onClose}
      isReady={passphrase !== ''}
      isMild
    >
      <Field label="Passphrase" type="password" value={passphrase} onInput={setPassphrase} required />
    </Confirm>
  )
}

function Protect({ onClose }: { onClose: () => void }) {
  const [source, setSource] = useState<keyof typeof sources>('keychain')
  const [passphrase, setPassphrase] = useState('')
  const act = async () => {
    await call('POST /api/secrets/store/protect', {
      body: source === 'passphrase' ? { source, passphrase } : { source },
    })
    changes.value++
    showMessage(`Encryption key: ${sources[source]}`)
  }
  return (
    <Confirm
      title="Move the encryption key"
      deed="Move key"
      act={act}
      onClose={onClose}
      isReady={source !== 'passphrase' || passphrase !== ''}
      isMild
    >
      <div class="stack">
        <Select label="Protect the key with" value={source} options={sources} onChoose={setSource} />
        {source === 'passphrase' && (
          <Field
            label="Passphrase"
            type="password"
            value={passphrase}
            onInput={setPassphrase}
            required
            hint="At least 8 characters, needed at each start of the daemon. If you lose it, the store cannot be opened."
          />
        )}
        <p class="dim">All values are re-encrypted. The old key does not open the new store.</p>
      </div>
    </Confirm>
  )
}

function Rotate({ onClose }: { onClose: () => void }) {
  const act = async () => {
    const { rotated } = await call('POST /api/secrets/store/rotate', { body: { keys: 'both' } })
    showMessage(`Rotated the ${rotated.join(' and ')} key`)
  }
  return (
    <Confirm title="Rotate the keys?" deed="Rotate" act={act} onClose={onClose} isMild>
      <p>All values are re-encrypted. Older copies of the store still need the old keys.</p>
    </Confirm>
  )
}

/** Exports all secrets to a file protected with a passphrase, for another machine. */
function ExportSecrets({ onClose }: { onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const act = async () => {
    const file = await call('POST /api/secrets/store/export', { body: { passphrase } })
    saveAs('secrets.json', new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }))
    showMessage(`${countOf(Object.keys(file.entries).length, 'secret')} exported`)
  }
  return (
    <Confirm
      title="Export all secrets"
      deed="Export"
      isMild
      isReady={passphrase !== '' && passphrase === again}
      act={act}
      onClose={onClose}
    >
      <div class="stack">
        <Field
          label="File passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          required
          hint="At least 8 characters. The file cannot be opened without it."
        />
        <Field label="Repeat passphrase" type="password" value={again} onInput={setAgain} required />
        {again !== '' && again !== passphrase && <p class="warn">The passphrases differ.</p>}
      </div>
    </Confirm>
  )
}

interface ImportComparison {
  added: readonly string[]
  changed: readonly string[]
  same: readonly string[]
}

/** Imports an export after a comparison with the local names. */
function ImportSecrets({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const [passphrase, setPassphrase] = useState('')
  const [overwrite, setOverwrite] = useState(false)
  const [compared, setCompared] = useState<ImportComparison>()
  const act = async (): Promise<false | undefined> => {
    const body = { file: await exportIn(file), passphrase }
    if (!compared) {
      setCompared(await call('POST /api/secrets/store/import', { body: { ...body, dryRun: true } }))
      return false
    }
    const { written } = await call('POST /api/secrets/store/import', { body: { ...body, overwrite } })
    changes.value++
    showMessage(`${countOf(written, 'secret')} imported`)
    return undefined
  }
  const isReplacing = overwrite && (compared?.changed.length ?? 0) > 0
  return (
    <Confirm
      title="Import secrets"
      deed={compared ? (isReplacing ? 'Import and replace' : 'Import') : 'Preview'}
      isMild={!isReplacing}
      isReady={file !== undefined && passphrase !== ''}
      act={act}
      onClose={onClose}
    >
      {compared ? (
        <Comparison compared={compared} overwrite={overwrite} setOverwrite={setOverwrite} />
      ) : (
        <div class="stack">
          <JsonFileField label="Exported file" onChoose={setFile} />
          <Field
            label="File passphrase"
            type="password"
            value={passphrase}
            onInput={setPassphrase}
            required
            hint={
              <>
                To import a <code>.env</code> file, use <Command text="memory secrets import .env" />.
              </>
            }
          />
        </div>
      )}
    </Confirm>
  )
}

interface ComparisonProps {
  compared: ImportComparison
  overwrite: boolean
  setOverwrite: (overwrite: boolean) => void
}

/** The planned effect on each name. */
function Comparison({ compared, overwrite, setOverwrite }: ComparisonProps) {
  return (
    <div class="stack">
      <Names title="New" names={compared.added} />
      <Names title={overwrite ? 'Replaced' : 'Different here, not replaced'} names={compared.changed} />
      <Names title="Unchanged" names={compared.same} />
      {compared.changed.length > 0 && (
        <Check checked={overwrite} onChange={setOverwrite}>
          Replace local values (cannot be undone)
        </Check>
      )}
    </div>
  )
}

/** @throws ApiError that does not repeat the file's contents */
async function exportIn(file: File | undefined): Promise<Record<string, unknown>> {
  try {
    return JSON.parse((await file?.text()) ?? '') as Record<string, unknown>
  } catch {
    throw new ApiError(
      `${file?.name} is not an export of secrets`,
      'no_export',
      0,
      'Choose a file exported by memory secrets export or by this page.',
    )
  }
}

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <p class="words">
        {names.map(name => (
          <code key={name}>{name} </code>
        ))}
      </p>
    </section>
  )
}
