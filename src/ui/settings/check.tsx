import type { Reply } from '../../contract/api.js'
import type { Loaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'

type Settings = Reply<'GET /api/settings'>
type Check = Reply<'POST /api/settings'>
type Problem = Settings['problems'][number]

interface VerdictProps {
  settings: Settings
  check: Loaded<Check>
  isChanged: boolean
  toLine: (line: number) => void
}

/** Faults of the text, or its effect. */
export function Verdict({ settings, check, isChanged, toLine }: VerdictProps) {
  if (!isChanged)
    return settings.problems.length === 0 ? (
      <p class="dim">{settings.exists ? 'Saved and active.' : 'Nothing to check yet.'}</p>
    ) : (
      <Problems title="Problems in the saved file" problems={settings.problems} toLine={toLine} />
    )
  if (check.error) return <Failure error={check.error} />
  if (!check.value) return <p class="dim">Checking…</p>
  const { errors, unknown } = check.value
  return (
    <section class="stack" aria-label="Check" aria-live="polite">
      {errors.length > 0 && <Problems title="Cannot be saved" tone="bad" problems={errors} toLine={toLine} />}
      {unknown.length > 0 && <Problems title="Unknown settings" problems={unknown} toLine={toLine} />}
      {errors.length === 0 && <Changes check={check.value} />}
    </section>
  )
}

interface ProblemsProps {
  title: string
  tone?: 'warn' | 'bad'
  problems: readonly Problem[]
  toLine: (line: number) => void
}

function Problems({ title, tone = 'warn', problems, toLine }: ProblemsProps) {
  return (
    <section class="stack" aria-label={title}>
      <h2 class={tone}>{title}</h2>
      <ul class="plain-list lined">
        {problems.map(({ line, key, message }) => (
          <li key={`${line} ${key} ${message}`} class="words">
            {line > 0 && (
              <button type="button" class="plain" onClick={() => toLine(line)}>
                Line {line}
              </button>
            )}{' '}
            {key && <code>{key}</code>} {message}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Settings whose values change. */
export function Changes({ check: { changes, restartRequired } }: { check: Check }) {
  return (
    <section class="stack" aria-label="Changes">
      <h2>Changes</h2>
      {changes.length === 0 && <p class="dim">No setting changes, only comments or formatting.</p>}
      <dl class="facts changes">
        {changes.map(({ key, before, after }) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>
              <del>{before ?? 'not set'}</del> → <ins>{after ?? 'not set'}</ins>
            </dd>
          </div>
        ))}
      </dl>
      {restartRequired && (
        <p class="warn">
          Host and port change after a restart: <code>memory daemon restart</code>
        </p>
      )}
    </section>
  )
}
