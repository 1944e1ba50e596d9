import { useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { ApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { Check, Field } from '../parts/fields/field.js'
import { JsonFileField } from '../parts/fields/json-file-field.js'
import { saveAs } from '../parts/save-as.js'
import { showMessage } from '../parts/toast.js'

/** Exports all secrets to a file protected with a passphrase, for another machine. */
export function ExportSecrets({ onClose }: { onClose: () => void }) {
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
export function ImportSecrets({ onClose }: { onClose: () => void }) {
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
                To import a <code>.env</code> file, use <code>memory secrets import .env</code>.
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
