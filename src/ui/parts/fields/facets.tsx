export interface FacetValue {
  value: string
  /** Undefined where nobody counted. */
  count?: number | undefined
}

interface FacetProps {
  title: string
  values: readonly FacetValue[]
  /** What values are called, where their own word says little. */
  words?: Readonly<Record<string, string>> | undefined
  chosen: string | undefined
  onChoose: (value: string | undefined) => void
}

/** One way to narrow a list: its values with how many there are of each. Choosing the chosen one takes it back. */
export function Facet({ title, values, words, chosen, onChoose }: FacetProps) {
  const shown = chosen === undefined || values.some(({ value }) => value === chosen)
  const all = shown ? values : [{ value: chosen }, ...values]
  if (all.length === 0) return null
  return (
    <fieldset class="facet">
      <legend>{title}</legend>
      {all.map(({ value, count }) => (
        <button
          key={value}
          type="button"
          class="choice"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value === chosen ? undefined : value)}
        >
          <span class="clip">{words?.[value] ?? value}</span>
          {count !== undefined && <span class="dim">{count.toLocaleString()}</span>}
        </button>
      ))}
    </fieldset>
  )
}
