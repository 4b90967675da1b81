import { connect } from 'node:net'

/** Sends bytes as they are and returns the whole answer as text, once the server closes the connection. */
export async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8')
  socket.end(request)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}
