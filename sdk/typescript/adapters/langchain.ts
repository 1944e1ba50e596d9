import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { Memory, RecallOptions } from 'memory-service-client'

/** Finds memories for LangChain, best first; each document has the id and the fields of its memory. */
export class MemoryRetriever extends BaseRetriever {
  static override lc_name(): string {
    return 'MemoryRetriever'
  }

  lc_namespace: string[] = ['memory_service', 'retrievers']
  readonly #memory: Memory
  readonly #options: RecallOptions

  constructor(
    memory: Memory,
    { recall = {}, ...fields }: BaseRetrieverInput & { recall?: RecallOptions } = {},
  ) {
    super(fields)
    this.#memory = memory
    this.#options = recall
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { results } = await this.#memory.recall(query, this.#options)
    return results.map(
      ({ id, content, type, tags, project, score, created_at }) =>
        new Document({ id, pageContent: content, metadata: { id, type, tags, project, score, created_at } }),
    )
  }
}
