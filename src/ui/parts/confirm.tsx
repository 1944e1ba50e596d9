import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.js'
import { Dialog } from './dialog.js'
import { Failure } from './failure.js'

interface ConfirmProps {
  title: string
  /** What the button says: the deed, never OK. */
  deed: string
  /** Asked for, with this text to begin with, where the API wants one. */
  reason?: string
  /** Has to be typed before the deed may be done: the name of what is deleted. */
  typed?: string
  /** For what can be taken back, or takes nothing away. */
  isMild?: boolean
  /** Whether it is known what will happen; until then nothing can be done. */
  isReady?: boolean
  /** Does it; the dialog closes once it is done, unless that gave `false`, and tells what failed otherwise. */
  act: (reason: string) => Promise<unknown>
  onClose: () => void
  /** What will happen, to what. */
  children: ComponentChildren
}

/** Shows what will happen before it happens. */
export function Confirm(props: ConfirmProps) {
  const { title, deed, reason = '', typed, isReady = true, isMild = false, act, onClose, children } = props
  const [why, setWhy] = useState(reason)
  const [name, setName] = useState('')
  const field = useId()
  const { submit, isBusy, error } = useDeed(() => act(why.trim()), onClose)
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Preview>{children}</Preview>
        {reason !== '' && (
          <label for={`${field}-why`}>
            Why
            <input
              id={`${field}-why`}
              value={why}
              required
              maxLength={2000}
              onInput={event => setWhy(event.currentTarget.value)}
            />
          </label>
        )}
        {typed !== undefined && (
          <label for={`${field}-name`}>
            Type <code>{typed}</code> to go on
            <input
              id={`${field}-name`}
              value={name}
              autocomplete="off"
              onInput={event => setName(event.currentTarget.value)}
            />
          </label>
        )}
        {error && <Failure error={error} />}
        <footer>
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={isMild ? undefined : 'danger'}
            disabled={isBusy || !isReady || (typed !== undefined && name !== typed)}
          >
            {deed}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Where there is more of it than the dialog has room for, the keyboard scrolls it. */
function Preview({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (!box.current) return
    const { scrollHeight, clientHeight } = box.current
    if (scrollHeight > clientHeight) box.current.tabIndex = 0
    else box.current.removeAttribute('tabindex')
  })
  return (
    <fieldset ref={box} class="preview" aria-label="What will happen">
      {children}
    </fieldset>
  )
}

/** Does it once, and closes when it is done. */
function useDeed(act: () => Promise<unknown>, onClose: () => void) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      if ((await act()) === false) setBusy(false)
      else onClose()
    } catch (thrown) {
      setError(asApiError(thrown))
      setBusy(false)
    }
  }
  return { submit, isBusy, error }
}
