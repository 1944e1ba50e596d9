import { useState } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { Confirm } from '../parts/confirm.js'
import { Check, Field } from '../parts/field.js'
import { say } from '../parts/toast.js'

/** Sets the value of a secret, new or not; what is typed is not shown, and gone with the dialog. */
export function SetSecret({ name: known, onClose }: { name: string | undefined; onClose: () => void }) {
  const [name, setName] = useState(known ?? '')
  const [value, setValue] = useState('')
  const [isLong, setLong] = useState(false)
  const act = async () => {
    await call('POST /api/secrets/:name', { params: { name: name.trim() }, body: { value } })
    changes.value++
    say(`${name.trim()} is set`)
  }
  return (
    <Confirm
      title={known === undefined ? 'Set a secret' : `Set another value of ${known}`}
      deed="Set"
      act={act}
      onClose={onClose}
      isReady={name.trim() !== '' && value !== ''}
      isMild
    >
      <div class="stack">
        {known === undefined && (
          <Field
            label="Name"
            value={name}
            onInput={setName}
            required
            placeholder="OPENAI_API_KEY"
            hint="Letters, digits and _. One that is there already gets the new value."
          />
        )}
        <Field
          label="Value"
          type="password"
          value={value}
          onInput={setValue}
          required
          hint="Kept encrypted, byte for byte; it is never shown again."
          {...(isLong && { rows: 6 })}
        />
        <Check checked={isLong} onChange={setLong}>
          It has several lines
        </Check>
        {known !== undefined && <p class="dim">The value before is overwritten.</p>}
      </div>
    </Confirm>
  )
}
