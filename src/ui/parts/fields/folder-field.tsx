import { call } from '../../api/call.js'
import { may } from '../../api/session.js'
import { sayFailure } from '../toast.js'
import { Field } from './field.js'

interface FolderFieldProps {
  label: string
  value: string
  onInput: (path: string) => void
  hint: string
  required?: boolean
}

/** A folder of the daemon's machine, typed or chosen in a window there. */
export function FolderField({ label, value, onInput, hint, required = false }: FolderFieldProps) {
  const choose = () =>
    call('POST /api/sources/pick-directory', { body: { title: label } }).then(
      ({ path }) => path !== null && onInput(path),
      sayFailure,
    )
  return (
    <div class="stack">
      <Field
        label={label}
        value={value}
        onInput={onInput}
        required={required}
        placeholder="/home/you/notes"
        hint={hint}
      />
      {isHere() && may('modify') && (
        <p>
          <button type="button" class="plain" onClick={choose}>
            Choose…
          </button>
        </p>
      )}
    </div>
  )
}

/** Whether this browser runs where the daemon does: a window there would be seen by nobody else. */
function isHere(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}
