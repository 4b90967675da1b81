import { createServer } from 'node:http'
import { expressWebhooks } from '@quickquote/webhook-signature/express'
import restify from 'restify'

const handle = expressWebhooks({ secrets: process.env.WEBHOOK_SECRET, onEvent: () => undefined })
const server = restify.createServer()
server.post('/hook', handle)
// Another server of the process, whose responses restify has changed too.
const other = createServer((request, response) => handle(request, response, console.error))
server.listen(0, '127.0.0.1', () =>
  other.listen(0, '127.0.0.1', () =>
    console.log(`127.0.0.1:${server.address().port} ${other.address().port}`),
  ),
)
