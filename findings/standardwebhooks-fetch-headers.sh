#!/usr/bin/env bash
# The official library of Standard Webhooks for JavaScript, standardwebhooks 1.1.1, refuses a genuine webhook if it gets the
# `headers` of a Fetch request.
# A natural guess: a library of the web's webhooks takes the web's headers. It reads them by Object.keys(), of which a `Headers` has none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund standardwebhooks@1.1.1

cat >verify.cjs <<'JS'
const { Webhook } = require('standardwebhooks')
const webhook = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
const body = '{"type":"example"}'
const now = new Date()
const request = new Request('https://receiver.example/hook', {
  method: 'POST',
  body,
  headers: {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': webhook.sign('msg_1', now, body),
  },
})
const verdict = (headers) => {
  try {
    return webhook.verify(body, headers).type
  } catch (error) {
    return error.message
  }
}
console.log(verdict(Object.fromEntries(request.headers)))
console.log(verdict(request.headers))
JS

{ read -r object && read -r headers; } < <(node verify.cjs)
cat <<TEXT
standardwebhooks 1.1.1 on Node $(node --version)
Expected: verify(body, request.headers) accepts a genuine webhook in a Fetch handler (Next.js, Workers, Hono, Deno, Bun).
Seen with Object.fromEntries(request.headers): $object
Seen with request.headers:                     $headers
Why it matters: the request carries all three headers, but the message blames the sender, whose log shows
nothing wrong.
TEXT
[ "$object" = example ] && [ "$headers" = 'Missing required headers' ]
