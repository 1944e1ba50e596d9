import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.js'
import { Failure } from './placeholders.js'

interface DialogProps {
  title: string
  /** Called in any case of closing: the key, the button, or the content. */
  onClose: () => void
  children: ComponentChildren
}

interface ConfirmProps {
  title: string
  /** Caption of the button: a verb, never OK. */
  deed: string
  /** Initial text of the reason field; without it no reason is asked for. */
  reason?: string
  /** Text to type before the action is enabled: the name of what is deleted. */
  typed?: string
  /** For actions that can be undone or remove nothing. */
  isMild?: boolean
  /** True once the preview is loaded; until then the action is disabled. */
  isReady?: boolean
  /**
   * Runs the action. The dialog closes after success, unless it returned `false`, and shows an error
   * otherwise.
   */
  act: (reason: string) => Promise<unknown>
  onClose: () => void
  /** Preview of the effect. */
  children: ComponentChildren
}

/** Shows the effect of an action and asks for confirmation. */
export function Confirm(props: ConfirmProps) {
  const { title, deed, reason = '', typed, isReady = true, isMild = false, act, onClose, children } = props
  const [why, setWhy] = useState(reason)
  const [name, setName] = useState('')
  const field = useId()
  const { submit, isBusy, error } = useAction(() => act(why.trim()), onClose)
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Preview>{children}</Preview>
        {reason !== '' && (
          <label for={`${field}-why`}>
            Reason
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
            Type <code>{typed}</code> to confirm
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

/** Makes an overflowing preview scrollable with the keyboard. */
function Preview({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (!box.current) return
    const { scrollHeight, clientHeight } = box.current
    if (scrollHeight > clientHeight) box.current.tabIndex = 0
    else box.current.removeAttribute('tabindex')
  })
  return (
    <fieldset ref={box} class="preview" aria-label="Preview">
      {children}
    </fieldset>
  )
}

/** Runs the action once and closes after success. */
function useAction(act: () => Promise<unknown>, onClose: () => void) {
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

/** A native dialog, which traps the focus, starts at its first field, and restores the focus afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const hasLeft = useRef(false)
  const heading = useId()
  useEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    // The first focusable element is the close button, so a field is focused explicitly.
    dialog?.querySelector<HTMLElement>('form :is(input, select, textarea):not(:disabled)')?.focus()
    return () => {
      hasLeft.current = true
      dialog?.close()
    }
  }, [])
  return (
    // A dialog that is replaced fires its close event late, when it would close its successor.
    <dialog ref={box} aria-labelledby={heading} onClose={() => !hasLeft.current && onClose()}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  )
}
