import { signal } from '@preact/signals'
import { failureText } from '../api/api-error.js'

interface Toast {
  id: number
  text: string
  isFailure: boolean
  undo?: (() => Promise<void>) | undefined
}

const shownMs = 6000
/** A message with undo stays longer, to leave time for a decision. */
const undoMs = 20_000

const toasts = signal<readonly Toast[]>([])
const numbers = { next: 1 }

/** Runs an action that needs no confirmation, and reports success or failure. */
export async function runAndReport(
  act: () => Promise<unknown>,
  message: string,
  after: () => void,
): Promise<void> {
  await act().then(() => {
    showMessage(message)
    after()
  }, showFailure)
}

/** Reports success; `undo` reverts the action. */
export function showMessage(text: string, undo?: () => Promise<void>): void {
  show({ text, isFailure: false, undo })
}

export function showFailure(thrown: unknown): void {
  show({ text: failureText(thrown), isFailure: true })
}

function show(toast: Omit<Toast, 'id'>): void {
  const id = numbers.next++
  toasts.value = [...toasts.value, { ...toast, id }].slice(-4)
  setTimeout(() => drop(id), toast.undo || toast.isFailure ? undoMs : shownMs)
}

function drop(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id)
}

export function Toasts() {
  const runUndo = async ({ id, undo }: Toast) => {
    drop(id)
    await undo?.().then(() => showMessage('Undone'), showFailure)
  }
  return (
    <section class="toasts" aria-live="polite" aria-label="Messages">
      {toasts.value.map(toast => (
        <p key={toast.id} class={toast.isFailure ? 'toast failed' : 'toast'}>
          <span class="toast-text">{toast.text}</span>
          {toast.undo && (
            <button type="button" class="on-toast" onClick={() => runUndo(toast)}>
              Undo
            </button>
          )}
          <button type="button" class="on-toast" aria-label="Dismiss" onClick={() => drop(toast.id)}>
            ×
          </button>
        </p>
      ))}
    </section>
  )
}
