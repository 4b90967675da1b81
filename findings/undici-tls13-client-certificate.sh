#!/usr/bin/env bash
# undici 7.30.2 hides that a TLS 1.3 server refuses a connection because it wants a client certificate.
# A natural guess: the request rejects with the server's alert, as `tls.connect` reports it, and as with TLS 1.2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund undici@7.30.2 selfsigned@5.5.0 node@22.23.3

cat >request.mjs <<'JS'
import { connect, createServer } from 'node:tls'
import { generate } from 'selfsigned'
import { Client } from 'undici'

const name = [{ name: 'commonName', value: 'localhost' }]
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' })
const server = createServer(
  { key, cert, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
  (socket) => socket.on('error', () => {}),
).on('tlsClientError', () => {})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const { port } = server.address()
const options = { ca: cert, servername: 'localhost', checkServerIdentity: () => undefined }

const plain = await new Promise((end) => {
  const socket = connect({ ...options, host: '127.0.0.1', port }, () => socket.write('POST / HTTP/1.1\r\n\r\n'))
  socket.on('error', ({ code }) => end(code))
})
const client = new Client(`https://127.0.0.1:${port}`, { connect: options })
const ofUndici = await client.request({ method: 'POST', path: '/', body: 'x' }).catch(({ code, message }) => `${code}: ${message}`)
console.log(plain)
console.log(ofUndici)
process.exit()
JS

{ read -r plain; read -r seen; } < <(node_modules/.bin/node request.mjs)
cat <<TEXT
undici 7.30.2 on Node $(node_modules/.bin/node --version)
Expected: the code of the alert, which a plain TLS socket has: $plain
Seen: $seen
Why it matters: in TLS 1.3 the handshake ends for the client before the server has looked at its certificate, so the alert arrives on an open
socket. The socket emits it, then ends, and the end replaces the error. Who sends webhooks sees a receiver that closes connections, retries,
and never learns the cause. A listener for "error" on the socket of a custom connector sees the alert.
TEXT
[ "$plain" = ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED ] && [ "$seen" = "UND_ERR_SOCKET: other side closed" ]
