import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** Sends raw bytes, which must include `Connection: close`, and returns the whole response as text. */
export async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8')
  socket.write(request)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

/** Sends a request and resets the connection at once. */
export async function hangUp(url: string, request: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  await new Promise((sent) => socket.write(request, sent))
  socket.resetAndDestroy()
}

/** A proxy that forwards byte by byte. */
export async function forwardTo(socketPath: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((client) => {
    const target = connect(socketPath)
    client.pipe(target).pipe(client)
    client.on('error', () => target.destroy())
    target.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => void server.close(),
  }
}
