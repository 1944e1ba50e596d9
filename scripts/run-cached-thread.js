import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import { loadCached } from '../bin/load-cached.js'

/**
 * Does the same as `bin/index-thread.js` for a bundle in another folder; a message on its port triggers
 * writing the cache.
 */
const { bundle, whenAsked } = workerData
loadCached(pathToFileURL(bundle), {
  whenToSave: (_exports, save) =>
    whenAsked.once('message', () => {
      save()
      process.exit()
    }),
  byTag: true,
})
