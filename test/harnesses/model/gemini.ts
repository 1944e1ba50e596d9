import { type Answer, bytesOf, type Entry, events, json, type Wire } from './conversation.js'

interface Part {
  text?: string
  functionCall?: { name: string }
  functionResponse?: { response?: unknown }
}

interface Body {
  contents?: { role?: string; parts?: Part[] }[]
  tools?: { functionDeclarations?: { name: string }[] }[]
}

const paths = /^\/v1(?:beta)?\/models\/[^/]+:(generateContent|streamGenerateContent)$/u

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Wire = {
  takes: path => paths.test(path),
  beside: path => (path.endsWith(':countTokens') ? { totalTokens: 1000 } : undefined),
  read(body) {
    const { contents = [], tools = [] } = body as Body
    return {
      entries: contents.flatMap(entriesOf),
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(tool => ({ name: tool.name, bytes: bytesOf(tool) })),
    }
  },
  answer(answer, { path }) {
    const content = { role: 'model', parts: [partOf(answer)] }
    const reply = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata: usage }
    return path.endsWith(':streamGenerateContent') ? events([{ data: reply }]) : json(reply)
  },
}

const usage = { promptTokenCount: 1000, candidatesTokenCount: 10, totalTokenCount: 1010 }

function entriesOf({ role, parts = [] }: NonNullable<Body['contents']>[number]): Entry[] {
  return parts.map(({ text = '', functionCall, functionResponse }) => {
    if (functionCall) return { role: 'call', text: functionCall.name }
    if (functionResponse) return { role: 'result', text: JSON.stringify(functionResponse.response) }
    return { role: role === 'model' ? 'assistant' : 'user', text }
  })
}

function partOf(answer: Answer): object {
  return 'say' in answer ? { text: answer.say } : { functionCall: { name: answer.call, args: answer.input } }
}
