// A server whose thread does not accept: once its queue is full, the system answers no further handshake.
import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { signal, address, port } = workerData
const server = createServer((socket) => socket.on('error', () => undefined))
server.listen({ host: address, port, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(signal, 0, 0))
})
