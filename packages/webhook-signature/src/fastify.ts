import type { FastifyPluginAsync } from 'fastify'
import { createReceiver, type ReceiverOptions } from './receiver.ts'

export interface FastifyWebhooksOptions extends ReceiverOptions {
  /** The path of the route, below the prefix of the plugin. Default `/`. */
  readonly path?: string
}

/**
 * A Fastify plugin with one route, `POST` to `path`, that receives webhooks. It reads the raw body whatever parsers the
 * application has, and does not affect those.
 *
 * Responds with 204, or 410 for `'gone'`; 400 or 401 with the error code as text; 415 to compressed bodies. Errors of
 * `onEvent` go to the application's error handler, as a 500; so does Fastify's own 413 for large bodies.
 *
 * @throws TypeError if a secret is missing, empty or surrounded by white space or quotes, or the header prefix is
 * invalid.
 */
export const fastifyWebhooks: FastifyPluginAsync<FastifyWebhooksOptions> = async (app, options) => {
  const receiver = createReceiver(options)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post(options.path ?? '/', { bodyLimit: receiver.maxBodyBytes }, async (request, reply) => {
    const { method, headers, body = '' } = request
    const answer = await receiver.answer(method, headers, () => body)
    // A string is sent as text/plain.
    return reply.code(answer.status).send(answer.text === '' ? undefined : answer.text)
  })
}
