// An HTTPS server in a separate thread. It holds the second request until the main thread releases it through shared memory, so
// the main thread need not, and cannot, take part in the response.
import { createServer } from 'node:https'
import { parentPort, workerData } from 'node:worker_threads'

const { certificate, signals } = workerData
const [HOLDS, MAY_ANSWER, HAS_ANSWERED] = [0, 1, 2]
let requests = 0

const server = createServer(certificate, (request, response) => {
  request.resume()
  requests += 1
  if (requests === 1) {
    response.writeHead(204).end()
    return
  }
  response.once('finish', () => raise(HAS_ANSWERED))
  const looking = setInterval(() => {
    if (Atomics.load(signals, MAY_ANSWER) === 0) return
    clearInterval(looking)
    response.writeHead(204).end()
  }, 5)
  raise(HOLDS)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))

function raise(signal) {
  Atomics.store(signals, signal, 1)
  Atomics.notify(signals, signal)
}
