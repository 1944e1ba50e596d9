export interface FacetValue {
  value: string
  /** Undefined if it was not counted. */
  count?: number | undefined
}

interface FacetProps {
  title: string
  values: readonly FacetValue[]
  /** Display names of values that are unclear by themselves. */
  labels?: Readonly<Record<string, string>> | undefined
  chosen: string | undefined
  onChoose: (value: string | undefined) => void
}

/** A filter with its values and their counts. Selecting the selected value clears the filter. */
export function Facet({ title, values, labels, chosen, onChoose }: FacetProps) {
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
          <span class="clip">{labels?.[value] ?? value}</span>
          {count !== undefined && <span class="dim">{count.toLocaleString()}</span>}
        </button>
      ))}
    </fieldset>
  )
}
