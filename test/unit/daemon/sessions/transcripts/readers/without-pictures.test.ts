import test from 'ava'
import fc from 'fast-check'
import { readTranscript } from '../../../../../../src/daemon/sessions/transcripts/readers/read-transcript.js'
import { withoutPictures } from '../../../../../../src/daemon/sessions/transcripts/readers/without-pictures.js'

const picture = (length: number) => 'iVBORw0KGgo/+A0='.repeat(Math.ceil(length / 16))

async function* slices(text: string, length: number): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += length) yield text.slice(from, from + length)
}

async function filtered(text: string, length = 256 * 1024): Promise<string> {
  let rest = ''
  for await (const piece of withoutPictures(slices(text, length))) rest += piece
  return rest
}

async function said(text: string): Promise<string[]> {
  const messages: string[] = []
  for await (const { role, text: words } of readTranscript(slices(text, 256 * 1024)))
    messages.push(`${role}: ${words}`)
  return messages
}

test('the text beside pictures of any size is kept, in the form of each program', async t => {
  const huge = picture(9 * 1024 * 1024)
  const words = { type: 'text', text: 'the relay listens on 9123' }
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: huge } }
  const claude = {
    type: 'user',
    sessionId: 's',
    message: { role: 'user', content: [image, words] },
    cwd: '/w',
  }
  t.deepEqual(await said(`${JSON.stringify(claude)}\n`), ['user: the relay listens on 9123'])
  const codex = {
    type: 'response_item',
    payload: {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_image', image_url: `data:image/png;base64,${huge}` },
        { type: 'input_text', text: words.text },
      ],
    },
  }
  t.deepEqual(await said(`${JSON.stringify(codex)}\n`), ['user: the relay listens on 9123'])
  const turn = { id: 'm', type: 'user', content: [{ inlineData: { data: huge } }, { text: words.text }] }
  const gemini = { sessionId: 's', projectHash: 'h', messages: [turn] }
  t.deepEqual(await said(JSON.stringify(gemini, null, 2)), ['user: the relay listens on 9123'])
})

test('a text that only looks like a picture stays, and so does short data', async t => {
  const letters = picture(300_000)
  for (const value of [
    { type: 'user', message: { role: 'user', content: letters } },
    { role: 'user', content: [{ type: 'text', text: letters }] },
    { role: 'user', content: [letters] },
    { role: 'user', content: `"data":"${letters}"` },
    { role: 'user', content: 'x', data: picture(1000) },
  ]) {
    const text = JSON.stringify(value)
    t.is(await filtered(text), text)
  }
})

test('pictures are found wherever the stream is cut, and nothing else changes', async t => {
  const text = fc.string({ unit: 'grapheme', maxLength: 50 })
  const value = fc.record({ text, data: fc.constantFrom('', 'AAAA', picture(70_000)), more: text })
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 4 }),
      fc.integer({ min: 1, max: 90_000 }),
      async (list, cut) => {
        const wanted = list.map(one => ({ ...one, data: one.data.length > 1000 ? '' : one.data }))
        t.is(await filtered(JSON.stringify(list), Math.max(cut, 300)), JSON.stringify(wanted))
      },
    ),
    { numRuns: 60 },
  )
})
