import test from 'ava'
import { embeddingSettings } from '../../../../src/contract/settings.js'
import { withProvider } from '../../../../src/store/embedding/create-embedder.js'
import { modelName, modelProfile } from '../../../../src/store/embedding/models.js'

const named = (settings: Record<string, unknown>, memory = 8e9) =>
  withProvider(embeddingSettings.parse(settings), memory)

test('each provider has a default model', t => {
  t.is(modelName(named({})), 'all-MiniLM-L6-v2')
  t.is(modelName(named({ provider: 'static', model: 'another' })), 'static-en-1')
  t.is(modelName(named({ provider: 'local' })), 'all-MiniLM-L6-v2')
  t.is(modelName(named({ provider: 'openai' })), 'text-embedding-3-small')
  t.is(modelName(named({ provider: 'ollama' })), 'nomic-embed-text')
})

test('with little memory the word model is the default, and a named model stays', t => {
  t.is(modelName(named({}, 1e9)), 'static-en-1')
  t.is(modelName(named({ provider: 'local' }, 1e9)), 'all-MiniLM-L6-v2')
  t.is(modelName(named({ model: 'someone/else' }, 1e9)), 'someone/else')
})

test('a local folder gives the model its name, unless the settings do', t => {
  t.is(modelName(named({ modelPath: '/models/my-model/' })), 'my-model')
  t.is(modelName(named({ modelPath: 'C:\\models\\my-model' })), 'my-model')
  t.is(modelName(named({ modelPath: '/models/my-model', model: 'other' })), 'other')
})

test('a known model has its dimensions, pooling and prefixes for any owner, tag and case', t => {
  t.like(modelProfile(named({ model: 'Xenova/BGE-small-en-v1.5' })), { dimensions: 384, pooling: 'cls' })
  t.like(modelProfile(named({ provider: 'ollama', model: 'nomic-embed-text:latest' })), {
    dimensions: 768,
    queryPrefix: 'search_query: ',
  })
})

test('settings override the profile of a model, even with an empty prefix', t => {
  const settings = named({ model: 'e5-small-v2', dimensions: 128, queryPrefix: '' })
  t.like(modelProfile(settings), { dimensions: 128, queryPrefix: '', documentPrefix: 'passage: ' })
})

test('an unknown model has default properties', t => {
  t.deepEqual(modelProfile(named({ model: 'someone/else' })), {
    dimensions: null,
    pooling: 'mean',
    queryPrefix: '',
    documentPrefix: '',
  })
})
