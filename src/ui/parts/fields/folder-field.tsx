import { call } from '../../api/call.js'
import { may } from '../../api/session.js'
import { showFailure } from '../toast.js'
import { Field } from './field.js'

interface FolderFieldProps {
  label: string
  value: string
  onInput: (path: string) => void
  hint: string
  required?: boolean
}

/** A folder on the daemon's machine, typed or selected in a window there. */
export function FolderField({ label, value, onInput, hint, required = false }: FolderFieldProps) {
  const choose = () =>
    call('POST /api/sources/pick-directory', { body: { title: label } }).then(
      ({ path }) => path !== null && onInput(path),
      showFailure,
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
      {isSameMachine() && may('modify') && (
        <p>
          <button type="button" class="plain" onClick={choose}>
            Choose…
          </button>
        </p>
      )}
    </div>
  )
}

/** Returns true if the browser runs on the daemon's machine, where the window would appear. */
function isSameMachine(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}
