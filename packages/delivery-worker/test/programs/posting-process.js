// One request of a worker's HTTP client, in a process with flags. Runs the built package.
import { createHttp } from '../../dist/http/http.js'

const [, , origin, ca] = process.argv
const client = createHttp({
  guard: { check: () => ({ allowed: true }), allowsHost: () => false },
  timeoutMs: 10_000,
  maxResponseBytes: 1024,
  maxRawResponseBytes: 64 * 1024,
  socketsPerOrigin: 1,
  ca,
  proxy: null,
  now: () => new Date(),
})
const turn = await client.turn(origin, 'organization')
console.log(JSON.stringify(await client.post({ turn, path: '/', headers: {}, body: '' })))
await client.close()
