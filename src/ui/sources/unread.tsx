interface UnreadRow {
  path: string
  message: string
  /** True if a later pass may succeed without a change of the file. */
  isPassing: boolean
}

/** Unreadable files with their reasons. */
export function Unread({ total, rows }: { total: number; rows: readonly UnreadRow[] }) {
  if (total === 0) return null
  return (
    <section class="stack" aria-label="Not read">
      <h2>
        Not read <span class="bad">{total.toLocaleString()}</span>
      </h2>
      <ul class="plain-list lined">
        {rows.map(({ path, message, isPassing }) => (
          <li key={path}>
            <strong class="words">{path}</strong>
            <p class="words">
              {message} {isPassing && <span class="dim">It is tried again.</span>}
            </p>
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="dim">The {rows.length} newest of them.</p>}
    </section>
  )
}
