import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Dialog } from './dialog.js'

export interface Key {
  /** Name of the key in `KeyboardEvent.key`. */
  key: string
  /** Description in the list of `?`. */
  does: string
  run: () => void
}

const bound = signal<readonly (() => readonly Key[])[]>([])
const helpIsOpen = signal(false)

/**
 * Binds keys while a component is mounted; the latest binding takes precedence. Typing in a field triggers
 * none.
 * @param keys the bindings, or a function that returns the current ones
 */
export function useKeys(keys: readonly Key[] | (() => readonly Key[])): void {
  const newest = useRef(keys)
  newest.current = keys
  useEffect(() => {
    const own = (): readonly Key[] =>
      typeof newest.current === 'function' ? newest.current() : newest.current
    bound.value = [own, ...bound.peek()]
    return () => {
      bound.value = bound.peek().filter(one => one !== own)
    }
  }, [])
}

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (isTyping(event.target) || document.querySelector('dialog[open]')) return
  // Enter activates the focused element.
  if (event.key === 'Enter' && isPressed(event.target)) return
  if (event.key === '?') {
    helpIsOpen.value = true
    return
  }
  const key = bound.value.flatMap(keys => keys()).find(one => one.key === event.key)
  if (!key) return
  event.preventDefault()
  key.run()
})

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isText = target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    isText ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    target.isContentEditable
  )
}

function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, input, summary')
}

/** The list of current keys. */
export function KeyHelp() {
  if (!helpIsOpen.value) return null
  const seen = new Set<string>()
  const keys = bound.value
    .flatMap(list => list())
    .filter(({ key }) => !seen.has(key) && Boolean(seen.add(key)))
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {keys.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>Show this list</dd>
        </div>
      </dl>
    </Dialog>
  )
}

function close(): void {
  helpIsOpen.value = false
}
