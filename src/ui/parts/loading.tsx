/** Takes the place of what comes; it shows only when that takes a while, so that nothing flickers. */
export function Loading({ words = 'Loading…' }: { words?: string }) {
  return (
    <p class="loading" role="status">
      {words}
    </p>
  )
}
