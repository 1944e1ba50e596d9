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
    <section class="stack" aria-label="Failed">
      <h2>
        Failed <span class="bad">{total.toLocaleString()}</span>
      </h2>
      <ul class="plain-list lined">
        {rows.map(({ path, message, isPassing }) => (
          <li key={path}>
            <strong class="words">{path}</strong>
            <p class="words">
              {message} {isPassing && <span class="dim">Will be retried.</span>}
            </p>
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="dim">Showing the newest {rows.length}.</p>}
    </section>
  )
}
