import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import { loadCached } from '../bin/load-cached.js'

/** What `bin/index-thread.js` does with a bundle that lies elsewhere; the cache is written when its port says so. */
const { bundle, whenAsked } = workerData
loadCached(pathToFileURL(bundle), {
  whenToSave: (_exports, save) =>
    whenAsked.once('message', () => {
      save()
      process.exit()
    }),
  byTag: true,
})
