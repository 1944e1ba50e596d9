export interface WatchedTurns {
  longest(): number
  p99(): number
  end(): void
}
export function watchTurns(): WatchedTurns
