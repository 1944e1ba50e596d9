/** Why a run ends before its pass does. `again`: a pass takes the place of following. */
export class RunEnded extends Error {
  override name = 'RunEnded'

  constructor(readonly why: 'paused' | 'stopped' | 'removed' | 'again') {
    super(`the reading of the source was ended: ${why}`)
  }
}
