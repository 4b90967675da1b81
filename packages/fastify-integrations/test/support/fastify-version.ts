import Fastify from 'fastify'

const [, minor] = Fastify().version.split('.')

/** Whether the tested Fastify is older than this 5.x and lacks what a test is about: see `test:fastify`. */
export function isBefore(wanted: number): boolean {
  return Number(minor) < wanted
}
