interface ProgressProps {
  /** For screen readers: what goes on. */
  label: string
  done: number
  /** Null while nobody knows how much there is. */
  total: number | null
}

/** How far something is that goes on, as a bar and in figures. */
export function Progress({ label, done, total }: ProgressProps) {
  const reached = total === null ? undefined : Math.min(done, total)
  return (
    <span class="progress">
      <progress aria-label={label} {...(total !== null && { max: Math.max(1, total), value: reached })} />
      <span class="dim">
        {total === null
          ? done.toLocaleString()
          : `${(reached ?? 0).toLocaleString()} of ${total.toLocaleString()}`}
      </span>
    </span>
  )
}
