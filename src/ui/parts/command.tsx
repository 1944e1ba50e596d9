import { showMessage } from './toast.js'

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

function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => showMessage('Copied'),
    () => showMessage('The browser does not allow copying.'),
  )
}
