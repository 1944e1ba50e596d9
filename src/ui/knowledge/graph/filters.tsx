import { Select } from '../../parts/fields/field.js'
import type { GraphEntity } from './graph-data.js'

interface FiltersProps {
  since: string | undefined
  kinds: ReadonlyMap<string, number>
  hidden: ReadonlySet<string>
  setHidden: (hidden: ReadonlySet<string>) => void
  choose: (changed: Readonly<Record<string, string | undefined>>) => void
}

const spans: Readonly<Record<string, string>> = {
  '': 'Any time',
  day: 'Last day',
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last year',
}

const daysOf: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

const dayMs = 86_400_000

/** Returns whether an entity changed in a span of time. @param since one of `spans`; others are any time */
export function isSince({ updatedAt }: GraphEntity, since = ''): boolean {
  const days = daysOf[since]
  return days === undefined || Date.parse(updatedAt) > Date.now() - days * dayMs
}

/** Time and types; the types are the legend too. The project is chosen for the whole page. */
export function Filters({ since = '', kinds, hidden, setHidden, choose }: FiltersProps) {
  const toggle = (type: string) => {
    const next = new Set(hidden)
    if (!next.delete(type)) next.add(type)
    setHidden(next)
  }
  return (
    <div class="graph-filters">
      <Select label="Changed" value={since} options={spans} onChoose={days => choose({ since: days })} />
      <fieldset class="graph-legend">
        <legend>Types</legend>
        {[...kinds].map(([type, kind]) => (
          <button
            key={type}
            type="button"
            class={`kind kind-${kind}`}
            aria-pressed={!hidden.has(type)}
            onClick={() => toggle(type)}
          >
            <span class="clip">{type}</span>
          </button>
        ))}
        {hidden.size > 0 && (
          <button type="button" class="plain" onClick={() => setHidden(new Set())}>
            Show all
          </button>
        )}
      </fieldset>
    </div>
  )
}
