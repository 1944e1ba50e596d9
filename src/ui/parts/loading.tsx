/** Takes the place of what comes; it shows only when that takes a while, so that nothing flickers. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  )
}
