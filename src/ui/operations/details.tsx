import { wordsOfName } from '../../lib/text/split-name.js'
import { Fact } from '../parts/values.js'

/** Further fields of a reply of any shape: figures and texts as facts, lists line by line. */
export function Details({ of }: { of: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(of).filter(([, value]) => value !== null && value !== '' && value !== 0)
  if (fields.length === 0) return null
  return (
    <dl class="facts details">
      {fields.map(([name, value]) => (
        <Fact key={name} title={wordsOfName(name).join(' ')}>
          {Array.isArray(value) ? (
            <ul class="plain-list">
              {value.map(one => (
                <li key={JSON.stringify(one)} class="words">
                  {wordsOf(one)}
                </li>
              ))}
            </ul>
          ) : (
            <span class="words">{wordsOf(value)}</span>
          )}
        </Fact>
      ))}
    </dl>
  )
}

/** Fields in one line: `stage embed, outcome accepted`. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString()
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(
      ([name, one]) =>
        `${wordsOfName(name).join(' ')} ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`,
    )
    .join(', ')
}
