import type { FastifyPluginAsync } from 'fastify'
import { createReceiver, type ReceiverOptions } from './receiver.ts'

export interface FastifyWebhooksOptions extends ReceiverOptions {
  /** Where the webhooks come in. Default `/`, below the prefix that the plugin is registered with. */
  readonly path?: string
}

/**
 * A Fastify plugin with one route, `POST` to `path`, which receives webhooks. It reads the raw body, whatever parsers the rest of
 * the application has, and leaves these as they are.
 *
 * Answers 204, and 410 for `'gone'`; 400 or 401 with the code of the error as text; 415 to compressed bodies. What `onEvent`
 * throws goes to the error handler of the application, which makes it a 500; so does Fastify's own 413 for bodies that
 * are too large.
 *
 * @throws TypeError when there is no secret, an empty one, or an impossible header prefix.
 */
export const fastifyWebhooks: FastifyPluginAsync<FastifyWebhooksOptions> = async (app, options) => {
  const receiver = createReceiver(options)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post(options.path ?? '/', { bodyLimit: receiver.maxBodyBytes }, async (request, reply) => {
    const answer =
      receiver.refuse(request.method, request.headers) ??
      (await receiver.receive(request.headers, request.body ?? ''))
    // A string is sent as text/plain.
    return reply.code(answer.status).send(answer.text === '' ? undefined : answer.text)
  })
}
