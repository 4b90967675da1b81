import 'reflect-metadata'
import nest from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { verify } from '@quickquote/webhook-signature'

class HookController {
  async receive(request, response) {
    const delivery = { headers: __HEADERS__, body: __RAW_BODY__, secrets: process.env.WEBHOOK_SECRET }
    const event = await verify(delivery).catch(() => undefined)
    response.status(event === undefined ? 401 : 204).end()
  }
}
class AppModule {}

// Decorators without TypeScript.
const receive = Object.getOwnPropertyDescriptor(HookController.prototype, 'receive')
nest.Controller('hook')(HookController)
nest.Post()(HookController.prototype, 'receive', receive)
nest.Req()(HookController.prototype, 'receive', 0)
nest.Res()(HookController.prototype, 'receive', 1)
nest.Module({ controllers: [HookController] })(AppModule)

const app = await NestFactory.create(AppModule, { logger: false, __SETTING__ })
await app.listen(0, '127.0.0.1')
console.log(`127.0.0.1:${app.getHttpServer().address().port}`)
