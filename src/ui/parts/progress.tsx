interface ProgressProps {
  /** Description for screen readers. */
  label: string
  done: number
  /** Null while it is unknown. */
  total: number | null
}

/** The progress of an operation as a bar and in figures. */
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
