import type { AttentionEnd } from '../../../../store/tables/knowledge/attentions.js'

/** How a look at an attention ended; `detail` says more, where there is more to say. */
export interface Ended {
  state: AttentionEnd
  detail?: string | null
}
