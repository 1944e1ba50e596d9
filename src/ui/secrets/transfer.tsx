import { useState } from 'preact/hooks'
import { countOf } from '../../lib/text/count-of.js'
import { ApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { Check, Field } from '../parts/fields/field.js'
import { JsonFileField } from '../parts/fields/json-file-field.js'
import { saveAs } from '../parts/save-as.js'
import { say } from '../parts/toast.js'

/** All secrets in a file that a passphrase opens, to take them to another machine. */
export function ExportSecrets({ onClose }: { onClose: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const act = async () => {
    const file = await call('POST /api/secrets/store/export', { body: { passphrase } })
    saveAs('secrets.json', new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }))
    say(`${countOf(Object.keys(file.entries).length, 'secret')} exported`)
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
          label="Passphrase of the file"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          required
          hint="Eight characters at least. Nothing else opens the file."
        />
        <Field label="The same again" type="password" value={again} onInput={setAgain} required />
        {again !== '' && again !== passphrase && <p class="warn">They differ.</p>}
      </div>
    </Confirm>
  )
}

interface Compared {
  added: readonly string[]
  changed: readonly string[]
  same: readonly string[]
}

/** What an export holds is compared with what is here by name, then stored. */
export function ImportSecrets({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const [passphrase, setPassphrase] = useState('')
  const [overwrite, setOverwrite] = useState(false)
  const [compared, setCompared] = useState<Compared>()
  const act = async (): Promise<false | undefined> => {
    const body = { file: await exportIn(file), passphrase }
    if (!compared) {
      setCompared(await call('POST /api/secrets/store/import', { body: { ...body, dryRun: true } }))
      return false
    }
    const { written } = await call('POST /api/secrets/store/import', { body: { ...body, overwrite } })
    changes.value++
    say(`${countOf(written, 'secret')} stored`)
    return undefined
  }
  const isReplacing = overwrite && (compared?.changed.length ?? 0) > 0
  return (
    <Confirm
      title="Import secrets"
      deed={compared ? (isReplacing ? 'Store and replace' : 'Store them') : 'Look what it holds'}
      isMild={!isReplacing}
      isReady={file !== undefined && passphrase !== ''}
      act={act}
      onClose={onClose}
    >
      {compared ? (
        <Comparison compared={compared} overwrite={overwrite} setOverwrite={setOverwrite} />
      ) : (
        <div class="stack">
          <JsonFileField label="An export of secrets" onChoose={setFile} />
          <Field
            label="Its passphrase"
            type="password"
            value={passphrase}
            onInput={setPassphrase}
            required
            hint={
              <>
                A <code>.env</code> file is read by <code>memory secrets import .env</code>.
              </>
            }
          />
        </div>
      )}
    </Confirm>
  )
}

interface ComparisonProps {
  compared: Compared
  overwrite: boolean
  setOverwrite: (overwrite: boolean) => void
}

/** Name by name, what would happen. */
function Comparison({ compared, overwrite, setOverwrite }: ComparisonProps) {
  return (
    <div class="stack">
      <Names title="New here" names={compared.added} />
      <Names
        title={overwrite ? 'Take the place of another value' : 'Have another value here, which stays'}
        names={compared.changed}
      />
      <Names title="Are here already" names={compared.same} />
      {compared.changed.length > 0 && (
        <Check checked={overwrite} onChange={setOverwrite}>
          Replace values of here; nothing brings them back
        </Check>
      )}
    </div>
  )
}

/** @throws ApiError which does not repeat what stands in the file */
async function exportIn(file: File | undefined): Promise<Record<string, unknown>> {
  try {
    return JSON.parse((await file?.text()) ?? '') as Record<string, unknown>
  } catch {
    throw new ApiError(
      `${file?.name} is no export of secrets`,
      'no_export',
      0,
      'Choose a file that memory secrets export, or this page, wrote.',
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
