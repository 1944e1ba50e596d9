import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seededRandom } from '../index/synthetic.js'
import { dimensions, model } from './workspace.js'

/** An OpenAI-compatible provider with made-up vectors: the benchmark measures recall, not a model. */
export async function startFakeProvider(): Promise<{ settings: object; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    settings: { embedding: { ...model, baseUrl, dimensions } },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function vectorOf(text: string): number[] {
  const random = seededRandom(
    [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 7),
  )
  return Array.from({ length: dimensions }, () => random() - 0.5)
}
