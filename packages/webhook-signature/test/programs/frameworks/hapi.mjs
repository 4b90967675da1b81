import Hapi from '@hapi/hapi'
import { verify } from '@quickquote/webhook-signature'

const server = Hapi.server({ port: 0, host: '127.0.0.1' })
server.route({
  method: 'POST',
  path: '/hook',
  options: { __SETTING__ },
  async handler(request, h) {
    const delivery = { headers: __HEADERS__, body: __RAW_BODY__, secrets: process.env.WEBHOOK_SECRET }
    const event = await verify(delivery).catch(() => undefined)
    return h.response().code(event === undefined ? 401 : 204)
  },
})
await server.start()
console.log(`127.0.0.1:${server.info.port}`)
