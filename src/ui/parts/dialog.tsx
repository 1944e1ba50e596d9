import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  /** Called in any case of closing: the key, the button, or the content. */
  onClose: () => void
  children: ComponentChildren
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
