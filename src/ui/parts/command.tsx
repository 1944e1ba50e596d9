import { showFailure, showMessage } from './toast.js'

/** A command for the terminal with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code class="words">{text}</code>
      <button type="button" class="plain" aria-label={`Copy ${text}`} onClick={() => copyText(text)}>
        Copy
      </button>
    </span>
  )
}

/** Copies a text and says so, or that the browser does not allow it, as without a secure context. */
export function copyText(text: string, done = 'Copied'): void {
  const refused = () => showFailure(new Error(`The browser does not allow copying. Copy it by hand: ${text}`))
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject()
  copied.then(() => showMessage(done), refused)
}
