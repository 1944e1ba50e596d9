import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  value: string
  onInput: (text: string) => void
  /** What to write here, below the field. */
  hint?: ComponentChildren
  /** Lines that a long text has room for. */
  rows?: number
  type?: 'text' | 'password'
  required?: boolean
  placeholder?: string
  /** What may be chosen instead of typing it. */
  choices?: readonly string[]
}

/** A text that somebody types, with its label and a hint. */
export function Field({ label, value, onInput, hint, rows, type = 'text', choices, ...rest }: FieldProps) {
  const id = useId()
  const shared = {
    ...rest,
    id,
    value,
    spellcheck: false,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          // Its type says of each kind by itself which other attributes it takes.
          type={type as 'text'}
          autocomplete={type === 'password' ? 'new-password' : 'off'}
          list={choices && `${id}-choices`}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          autocomplete="off"
          class={type === 'password' ? 'hidden-text' : undefined}
        />
      )}
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map(choice => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="dim">
          {hint}
        </p>
      )}
    </div>
  )
}

interface SelectProps<V extends string> {
  label: string
  value: V
  /** By their values, what people call them. */
  options: Readonly<Record<V, string>>
  onChoose: (value: V) => void
}

/** One of a few. */
export function Select<V extends string>({ label, value, options, onChoose }: SelectProps<V>) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={event => onChoose(event.currentTarget.value as V)}>
        {(Object.entries(options) as [V, string][]).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface CheckProps {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  children: ComponentChildren
}

export function Check({ onChange, children, ...state }: CheckProps) {
  return (
    <label>
      <input type="checkbox" {...state} onChange={event => onChange(event.currentTarget.checked)} />{' '}
      {children}
    </label>
  )
}
