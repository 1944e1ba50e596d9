import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  /** Called however it is closed: by the key, the button, or what is inside. */
  onClose: () => void
  children: ComponentChildren
}

/** A dialog of the browser's own: it holds the focus, on its first field, and gives it back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const hasLeft = useRef(false)
  const heading = useId()
  useEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    // The first that can take it is the button that closes.
    dialog?.querySelector<HTMLElement>('form :is(input, select, textarea):not(:disabled)')?.focus()
    return () => {
      hasLeft.current = true
      dialog?.close()
    }
  }, [])
  return (
    // One that makes room for another tells of its end later, when it is the other one's that would be taken for it.
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
