import { buffer } from 'node:stream/consumers'
import { verify } from '@quickquote/webhook-signature'
import Koa from 'koa'

const app = new Koa()
app.use(async (ctx) => {
  const delivery = { headers: __HEADERS__, body: __RAW_BODY__, secrets: process.env.WEBHOOK_SECRET }
  const event = await verify(delivery).catch(() => undefined)
  ctx.status = event === undefined ? 401 : 204
})
const server = app.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`))
