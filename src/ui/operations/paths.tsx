const shownPaths = 20

/** Some of the paths of a list that may be long. */
export function Paths({ paths }: { paths: readonly string[] }) {
  return (
    <ul class="plain-list paths">
      {paths.slice(0, shownPaths).map(path => (
        <li key={path} class="words">
          <code>{path}</code>
        </li>
      ))}
      {paths.length > shownPaths && (
        <li class="dim">and {(paths.length - shownPaths).toLocaleString()} more</li>
      )}
    </ul>
  )
}
