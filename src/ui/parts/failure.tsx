import type { ApiError } from '../api/api-error.js'

/** An error and the next step. */
export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  const details = error.details.filter(line => line !== error.message)
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {details.length > 0 && (
        <ul>
          {details.map(line => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <p>{error.next}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
