import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  findWeights,
  hubFolder,
  isHubModel,
  missingFile,
} from '../../../../src/lib/workspace/model-folder.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

async function folderWith(t: ExecutionContext, files: string[]): Promise<string> {
  const folder = temporaryFolder(t)
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

const description = ['config.json', 'tokenizer.json', 'tokenizer_config.json']

test('the first complete folder is used, quantised weights first', async t => {
  const half = await folderWith(t, description)
  const full = await folderWith(t, [...description, 'onnx/model.onnx'])
  const both = await folderWith(t, [...description, 'onnx/model.onnx', 'onnx/model_quantized.onnx'])
  t.is(missingFile(half), 'onnx/model_quantized.onnx')
  t.deepEqual(findWeights([undefined, null, half, full, both]), { folder: full, format: 'fp32' })
  t.deepEqual(findWeights([both, full]), { folder: both, format: 'q8' })
  t.is(findWeights([half]), null)
})

test('a folder without its tokenizer is incomplete', async t => {
  const folder = await folderWith(t, ['config.json', 'onnx/model.onnx'])
  t.is(missingFile(folder), 'tokenizer.json')
})

test('only owner/model names have their own folder', t => {
  t.is(hubFolder('/models', 'Xenova/all-MiniLM-L6-v2'), join('/models', 'Xenova', 'all-MiniLM-L6-v2'))
  for (const name of [
    '../../etc',
    '/etc/passwd',
    'owner/..',
    'model',
    'a/b/c',
    '.partial/x',
    'a/b?c',
    'a/b c',
  ]) {
    t.false(isHubModel(name), name)
    t.is(hubFolder('/models', name), null, name)
  }
})
