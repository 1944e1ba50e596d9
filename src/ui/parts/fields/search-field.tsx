import { useRef } from 'preact/hooks'
import { useKeys } from '../keys.js'

interface SearchFieldProps {
  label: string
  value: string
  onInput: (text: string) => void
}

/** A field that `/` leads to and Escape leaves. */
export function SearchField({ label, value, onInput }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useKeys([{ key: '/', does: label, run: () => field.current?.focus() }])
  return (
    <input
      ref={field}
      class="search"
      type="search"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={event => onInput(event.currentTarget.value)}
      onKeyDown={event => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}
