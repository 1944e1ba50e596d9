/** Placeholder for loading content; it appears with a delay, to avoid flicker. */
export function Loading({ words = 'Loading…' }: { words?: string }) {
  return (
    <p class="loading" role="status">
      {words}
    </p>
  )
}
