// A partner's server on Deno or Bun. /vectors returns the result of verify() for each test vector.
import { fetchWebhooks } from '../../dist/fetch.js'
import { verify } from '../../dist/index.js'

const webhooks = fetchWebhooks({
  secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw0zJmuqz4kT1xE=',
  onEvent: ({ id }) => {
    if (id === 'evt_unlucky') throw new Error('not yet')
  },
  onError: () => undefined,
})

async function fetch(request) {
  if (!request.url.endsWith('/vectors')) return webhooks(request)
  const verdicts = []
  for (const { headers, body, secrets, now } of await request.json()) {
    const verdict = verify({ headers, body, secrets, now: new Date(now * 1000) })
    verdicts.push(
      await verdict.then(
        () => 'valid',
        ({ code }) => code,
      ),
    )
  }
  return Response.json(verdicts)
}

const { Bun, Deno } = globalThis
const server = Deno
  ? Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => undefined }, fetch).addr
  : Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
console.log(server.port)
