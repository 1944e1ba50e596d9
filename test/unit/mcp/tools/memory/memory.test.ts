import test from 'ava'
import { memoryListInput } from '../../../../../src/contract/mcp/tools.js'
import { memoryTools } from '../../../../../src/mcp/tools/memory/memory.js'

test('a list requests only the beginnings of its memories', async t => {
  const asked: { query?: { maxContent?: number } }[] = []
  const call = async (_address: string, request: object) => {
    asked.push(request)
    return { memories: [], matching: 0 }
  }
  const list = memoryTools.find(({ name }) => name === 'memory_list')
  await list?.run(call as never, memoryListInput.parse({}))
  t.is(asked[0]?.query?.maxContent, 8000)
})
